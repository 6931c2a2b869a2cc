// SPDX-License-Identifier: GPL-3.0-or-later
// How the Charts page saves and copies its charts.
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QMessageBox>

#include "ui/models/format.h"
#include "ui/views/charts_page.h"

namespace opscope::ui {
QString ChartsPage::fileNameOf(const ChartFrame& frame, PictureFormat format) const {
  const QString id = QString::fromLatin1(frame.entry().id);
  if (run() == nullptr) return id + QLatin1Char('.') + pictureSuffix(format);
  return pictureFileName(*run(), shownIn(frame) != run() ? QStringLiteral("range-") + id : id, format);
}

bool ChartsPage::canSave(const ChartFrame& frame) const {
  return frame.canSave() && (run() != nullptr || frame.chart()->sweep() != nullptr);
}

void ChartsPage::askPath(ChartFrame* frame, PictureFormat format) {
  if (!canSave(*frame)) return;
  askPicturePath(this, QStringLiteral("Save %1").arg(frame->chart()->title()), fileNameOf(*frame, format),
                 format, [this, frame, format](const QString& path) { writeChart(frame, format, path); });
}

void ChartsPage::askFolder(PictureFormat format) {
  auto* dialog = new QFileDialog(
      this, QStringLiteral("Save all charts as %1 into a folder").arg(pictureFormatName(format)));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::Directory);
  dialog->setOption(QFileDialog::ShowDirsOnly);
  connect(dialog, &QFileDialog::fileSelected, this, [this, format](const QString& folder) {
    QStringList names;
    for (const ChartFrame* frame : m_frames) {
      if (canSave(*frame)) names << fileNameOf(*frame, format);
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
  if (!canSave(*frame)) return;
  const Picture picture =
      drawPicture(frame->entry(), *frame->chart(), shownIn(*frame), context().selection, PictureFormat::Png);
  QGuiApplication::clipboard()->setImage(picture.image);
}

void ChartsPage::writeChart(ChartFrame* frame, PictureFormat format, const QString& path) {
  if (!canSave(*frame)) return;
  std::vector<Job> jobs;
  jobs.push_back(
      {drawPicture(frame->entry(), *frame->chart(), shownIn(*frame), context().selection, format), path});
  write(std::move(jobs));
}

void ChartsPage::writeAllCharts(PictureFormat format, const QString& folder) {
  std::vector<Job> jobs;
  for (ChartFrame* frame : m_frames) {
    if (!canSave(*frame)) continue;
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
            outcome.error = format::errorLines(written.error());
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
    m_message->hide();
    Q_EMIT noticed(QStringLiteral("Saved %1").arg(where));
  }
  Q_EMIT picturesWritten(paths, error);
}

}  // namespace opscope::ui
