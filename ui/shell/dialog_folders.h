// SPDX-License-Identifier: GPL-3.0-or-later
// Where file dialogs of the window begin: in the folder that was used last, also by an earlier start, else
// beside the file that is open. A dialog that was given a folder of its own keeps it. GUI thread; the window
// owns it.
#pragma once

#include <QFileDialog>
#include <QObject>

#include "ui/shell/workspace.h"

namespace opscope::ui {

class DialogFolders : public QObject {
  Q_OBJECT
 public:
  /// Watches the dialogs that belong to `window`, which is the parent too. `workspace` outlives it.
  DialogFolders(Workspace* workspace, QWidget* window);
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  bool isOfWindow(const QObject* object) const;
  QString folder() const;
  void place(QFileDialog* dialog) const;
  void keep(const QStringList& files);

  Workspace* m_workspace;
  bool m_used = false;  ///< by this window: what is open is beside the point then
};

}  // namespace opscope::ui
