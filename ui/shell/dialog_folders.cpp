// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/dialog_folders.h"

#include <QCoreApplication>
#include <QDir>
#include <QEvent>
#include <QFileInfo>

namespace opscope::ui {

DialogFolders::DialogFolders(Workspace* workspace, QWidget* window)
    : QObject(window), m_workspace(workspace) {
  QCoreApplication::instance()->installEventFilter(this);
}

bool DialogFolders::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::Show) return false;
  auto* dialog = qobject_cast<QFileDialog*>(watched);
  if (dialog == nullptr || !isOfWindow(dialog)) return false;
  place(dialog);
  connect(dialog, &QFileDialog::filesSelected, this, &DialogFolders::keep, Qt::UniqueConnection);
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
  if (wanted.isEmpty() || !QFileInfo(wanted).isDir() || dialog->directory() != QDir::current()) return;
  const QStringList named = dialog->selectedFiles();
  dialog->setDirectory(wanted);
  // The name that a saved file begins with stays.
  if (dialog->acceptMode() == QFileDialog::AcceptSave && !named.isEmpty())
    dialog->selectFile(QFileInfo(named.front()).fileName());
}

void DialogFolders::keep(const QStringList& files) {
  if (files.isEmpty()) return;
  const QFileInfo first(files.front());
  m_used = true;
  m_workspace->settings()->setDialogFolder(first.isDir() ? first.absoluteFilePath() : first.absolutePath());
}

}  // namespace opscope::ui
