// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/dialog_folders.h"

#include <QApplication>
#include <QDir>
#include <QEvent>
#include <QFileInfo>
#include <QStyle>
#include <algorithm>
#include <array>
#include <utility>

namespace opscope::ui {
namespace {

/// Folders of the system that hold no files of anybody: nothing is found there a second time.
bool isOfSystem(const QString& folder) {
  static const std::array kRoots = {QStringLiteral("/proc"), QStringLiteral("/sys"), QStringLiteral("/dev")};
  const QString real = QFileInfo(folder).canonicalFilePath();
  if (real.startsWith(QStringLiteral("/dev/shm"))) return false;
  return std::ranges::any_of(kRoots, [&real](const QString& root) {
    return real == root || real.startsWith(root + QLatin1Char('/'));
  });
}

}  // namespace

QIcon NameIconProvider::icon(const QFileInfo& info) const {
  const QStyle* style = QApplication::style();
  if (info.isRoot()) return style->standardIcon(QStyle::SP_DriveHDIcon);
  return style->standardIcon(info.isDir() ? QStyle::SP_DirIcon : QStyle::SP_FileIcon);
}

QString NameIconProvider::type(const QFileInfo& info) const {
  if (info.isDir()) return QStringLiteral("Folder");
  return info.suffix().isEmpty() ? QStringLiteral("File") : QStringLiteral(".%1 file").arg(info.suffix());
}

DialogFolders::DialogFolders(Workspace* workspace, QWidget* window)
    : QObject(window), m_workspace(workspace) {
  QCoreApplication::instance()->installEventFilter(this);
  connect(workspace, &Workspace::failureChanged, this, [this]() {
    const auto& failure = m_workspace->failure();
    if (failure && failure->during == Failure::During::Exporting) forgetFailed();
  });
}

bool DialogFolders::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::Show) return false;
  auto* dialog = qobject_cast<QFileDialog*>(watched);
  if (dialog == nullptr || !isOfWindow(dialog)) return false;
  // What was listed since it was made is looked at when events come, so this is soon enough.
  dialog->setIconProvider(&m_icons);
  place(dialog);
  if (dialog->property("opscope.watched").toBool()) return false;
  dialog->setProperty("opscope.watched", true);
  connect(dialog, &QFileDialog::filesSelected, this, [this, dialog](const QStringList& files) {
    keep(files,
         dialog->acceptMode() == QFileDialog::AcceptSave || dialog->fileMode() == QFileDialog::Directory);
  });
  return false;
}

bool DialogFolders::isOfWindow(const QObject* object) const {
  while (object != nullptr && object != parent()) object = object->parent();
  return object != nullptr;
}

QString DialogFolders::folder() const {
  const QString last = m_workspace->settings()->dialogFolder();
  const QString& open = m_workspace->openPath();
  return m_used || open.isEmpty() ? last : QFileInfo(open).absolutePath();
}

void DialogFolders::place(QFileDialog* dialog) const {
  const QString wanted = folder();
  if (wanted.isEmpty() || !QFileInfo(wanted).isDir() || isOfSystem(wanted) ||
      dialog->directory() != QDir::current())
    return;
  const QStringList named = dialog->selectedFiles();
  dialog->setDirectory(wanted);
  // The name that a saved file begins with stays.
  if (dialog->acceptMode() == QFileDialog::AcceptSave && !named.isEmpty())
    dialog->selectFile(QFileInfo(named.front()).fileName());
}

void DialogFolders::keep(const QStringList& files, bool isForSaving) {
  m_before.reset();
  if (files.isEmpty()) return;
  const QFileInfo first(files.front());
  const QString chosen = first.isDir() ? first.absoluteFilePath() : first.absolutePath();
  if (isOfSystem(chosen)) return;
  Settings* settings = m_workspace->settings();
  if (isForSaving) m_before = Before{settings->dialogFolder(), m_used};
  m_used = true;
  settings->setDialogFolder(chosen);
}

void DialogFolders::forgetFailed() {
  const auto before = std::exchange(m_before, std::nullopt);
  if (!before) return;
  m_used = before->used;
  m_workspace->settings()->setDialogFolder(before->folder);
}

}  // namespace opscope::ui
