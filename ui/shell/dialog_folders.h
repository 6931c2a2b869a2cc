// SPDX-License-Identifier: GPL-3.0-or-later
// Where file dialogs of the window begin: in the folder that was used last, else beside the file that is
// open. A dialog that was given a folder of its own keeps it. GUI thread; the window owns it.
#pragma once

#include <QFileDialog>
#include <QObject>

#include "ui/shell/workspace.h"

namespace opscope::ui {

class DialogFolders : public QObject {
  Q_OBJECT
 public:
  /// Watches the dialogs that belong to `window`, which is the parent too. `workspace` outlives it.
  DialogFolders(const Workspace* workspace, QWidget* window);
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  bool isOfWindow(const QObject* object) const;
  QString folder() const;
  void place(QFileDialog* dialog) const;
  void keep(const QStringList& files);

  const Workspace* m_workspace;
  QString m_last;
};

}  // namespace opscope::ui
