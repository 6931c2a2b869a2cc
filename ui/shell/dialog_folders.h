// SPDX-License-Identifier: GPL-3.0-or-later
// File dialogs of the window. They begin in the folder that was used last, also by an earlier start, else
// beside the file that is open; a dialog that was given a folder of its own keeps it. They tell files by
// their names alone and open none. GUI thread; the window owns it.
#pragma once

#include <QAbstractFileIconProvider>
#include <QFileDialog>
#include <QObject>

#include "ui/shell/workspace.h"

namespace opscope::ui {

/// Looks into no file. Qt's own provider opens those whose name tells nothing: that drops the locks of a
/// store that this process has open, and never returns for some files of /proc.
class NameIconProvider : public QAbstractFileIconProvider {
 public:
  QIcon icon(const QFileInfo& info) const override;
  QString type(const QFileInfo& info) const override;
};

class DialogFolders : public QObject {
  Q_OBJECT
 public:
  /// Watches the dialogs that belong to `window`, which is the parent too. `workspace` outlives it.
  DialogFolders(Workspace* workspace, QWidget* window);
  bool eventFilter(QObject* watched, QEvent* event) override;

  /// What was to be written where a dialog said could not be: its folder is forgotten.
  void forgetFailed();

 private:
  bool isOfWindow(const QObject* object) const;
  QString folder() const;
  void place(QFileDialog* dialog) const;
  void keep(const QStringList& files, bool isForSaving);

  NameIconProvider m_icons;
  Workspace* m_workspace;
  bool m_used = false;  ///< by this window: what is open is beside the point then
  /// Before the newest dialog, when that was for saving.
  struct Before {
    QString folder;
    bool used = false;
  };
  std::optional<Before> m_before;
};

}  // namespace opscope::ui
