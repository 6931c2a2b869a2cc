// SPDX-License-Identifier: GPL-3.0-or-later
// How the Charts page saves and copies its charts.
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QMessageBox>
#include <QRegularExpression>

#include "ui/models/format.h"
#include "ui/views/charts_page.h"

namespace opscope::ui {
namespace {

QString words(const base::Error& error) {
  QString text = QString::fromStdString(error.message);
  for (const std::string& more : {error.detail, error.hint}) {
    if (!more.empty()) text += QLatin1Char('\n') + QString::fromStdString(more);
  }
  return text;
}

/// What file systems and shells take without trouble.
QString safe(QString text) {
  static const QRegularExpression others(QStringLiteral("[^A-Za-z0-9._]+"));
  return text.replace(others, QStringLiteral("-")).left(80);
}

}  // namespace

QString ChartsPage::fileNameOf(const ChartFrame& frame, PictureFormat format) const {
  QStringList parts;
  if (run() != nullptr) {
    const QString file = run()->fileName();
    parts << safe(file.endsWith(QLatin1String(".so")) ? file.chopped(3) : file);
    parts << safe(QString::fromStdString(run()->run().function));
    if (shownIn(frame) != run()) parts << QStringLiteral("range");
  }
  parts << QString::fromLatin1(frame.entry().id);
  parts.removeAll(QString());
  return parts.join(QLatin1Char('-')) + QLatin1Char('.') + pictureSuffix(format);
}

void ChartsPage::askPath(ChartFrame* frame, PictureFormat format) {
  if (run() == nullptr || !frame->canSave()) return;
  auto* dialog = new QFileDialog(this, QStringLiteral("Save %1").arg(frame->chart()->title()));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(pictureSuffix(format));
  dialog->setNameFilter(QStringLiteral("%1 (*.%2)").arg(pictureFormatName(format), pictureSuffix(format)));
  dialog->selectFile(fileNameOf(*frame, format));
  connect(dialog, &QFileDialog::fileSelected, this,
          [this, frame, format](const QString& path) { writeChart(frame, format, path); });
  dialog->open();
}

void ChartsPage::askFolder(PictureFormat format) {
  if (run() == nullptr) return;
  auto* dialog = new QFileDialog(
      this, QStringLiteral("Save all charts as %1 into a folder").arg(pictureFormatName(format)));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::Directory);
  dialog->setOption(QFileDialog::ShowDirsOnly);
  connect(dialog, &QFileDialog::fileSelected, this, [this, format](const QString& folder) {
    QStringList names;
    for (const ChartFrame* frame : m_frames) {
      if (frame->canSave()) names << fileNameOf(*frame, format);
    }
    context().background->run(
        this,
        [folder, names]() {
          QStringList existing;
          for (const QString& name : names) {
            if (QFileInfo::exists(folder + QLatin1Char('/') + name)) existing << name;
          }
          return existing;
        },
        [this, format, folder](const QStringList& existing) { askReplace(format, folder, existing); });
  });
  dialog->open();
}

void ChartsPage::askReplace(PictureFormat format, const QString& folder, const QStringList& existing) {
  if (existing.isEmpty()) {
    writeAllCharts(format, folder);
    return;
  }
  auto* box =
      new QMessageBox(QMessageBox::Question, QStringLiteral("Save all charts"),
                      QStringLiteral("%1 in this folder has %2 with the same name.")
                          .arg(format::shortPath(folder), format::counted(existing.size(), "file", "files")),
                      QMessageBox::Cancel, this);
  box->setText(QStringLiteral("Replace %1 in %2?")
                   .arg(format::counted(existing.size(), "file", "files"), format::shortPath(folder)));
  box->setInformativeText(existing.join(QLatin1Char('\n')));
  auto* replace = box->addButton(QStringLiteral("Replace"), QMessageBox::AcceptRole);
  box->setAttribute(Qt::WA_DeleteOnClose);
  connect(replace, &QAbstractButton::clicked, this,
          [this, format, folder]() { writeAllCharts(format, folder); });
  box->open();
}

void ChartsPage::copyPicture(ChartFrame* frame) {
  if (run() == nullptr || !frame->canSave()) return;
  const ChartPicture picture =
      drawPicture(frame->entry(), *frame->chart(), shownIn(*frame), context().selection, PictureFormat::Png);
  QGuiApplication::clipboard()->setImage(picture.image);
}

void ChartsPage::writeChart(ChartFrame* frame, PictureFormat format, const QString& path) {
  if (run() == nullptr || !frame->canSave()) return;
  std::vector<Job> jobs;
  jobs.push_back(
      {drawPicture(frame->entry(), *frame->chart(), shownIn(*frame), context().selection, format), path});
  write(std::move(jobs));
}

void ChartsPage::writeAllCharts(PictureFormat format, const QString& folder) {
  if (run() == nullptr) return;
  std::vector<Job> jobs;
  for (ChartFrame* frame : m_frames) {
    if (!frame->canSave()) continue;
    jobs.push_back(
        {drawPicture(frame->entry(), *frame->chart(), shownIn(*frame), context().selection, format),
         folder + QLatin1Char('/') + fileNameOf(*frame, format)});
  }
  write(std::move(jobs));
}

void ChartsPage::write(std::vector<Job> jobs) {
  struct Outcome {
    QStringList paths;
    QString error;
  };
  context().background->run(
      this,
      [jobs = std::move(jobs)]() {
        Outcome outcome;
        for (const Job& job : jobs) {
          const base::Result<> written = writePicture(job.picture, job.path);
          if (written) {
            outcome.paths << job.path;
          } else if (outcome.error.isEmpty()) {
            outcome.error = words(written.error());
          }
        }
        return outcome;
      },
      [this](const Outcome& outcome) { tellWritten(outcome.paths, outcome.error); });
}

void ChartsPage::tellWritten(const QStringList& paths, const QString& error) {
  m_message->clearButtons();
  connect(m_message->addButton(QStringLiteral("Close")), &QPushButton::clicked, m_message, &QWidget::hide);
  if (!error.isEmpty()) {
    const QString title =
        paths.isEmpty()
            ? QStringLiteral("Nothing was saved.")
            : QStringLiteral("Only %1 saved.").arg(format::counted(paths.size(), "chart was", "charts were"));
    m_message->showMessage(InfoBar::Kind::Error, title, error);
  } else if (!paths.isEmpty()) {
    const QString where = paths.size() == 1 ? format::shortPath(paths.front())
                                            : QStringLiteral("%1 in %2")
                                                  .arg(format::counted(paths.size(), "chart", "charts"),
                                                       format::shortPath(QFileInfo(paths.front()).path()));
    m_message->showMessage(InfoBar::Kind::Info, QStringLiteral("Saved"), where);
  }
  Q_EMIT picturesWritten(paths, error);
}

}  // namespace opscope::ui
