// SPDX-License-Identifier: GPL-3.0-or-later
// What every page of a run shares: an empty state until there is a run, and how it gets its data. GUI thread.
#pragma once

#include <QStackedWidget>
#include <memory>

#include "ui/bridge/background.h"
#include "ui/bridge/session_types.h"
#include "ui/models/run_view.h"
#include "ui/models/selection.h"
#include "ui/models/undo_step.h"
#include "ui/views/page_act.h"
#include "ui/views/widgets/panels.h"

namespace opscope::ui {
class DataTable;
}

namespace opscope::ui {

/// What pages are built with; all of it outlives them.
struct PageContext {
  const Theme* theme = nullptr;
  Selection* selection = nullptr;
  Background* background = nullptr;
};

/// What can be done now, for empty states and buttons.
struct PageStatus {
  bool hasExecutable = false;
  bool canRun = false;
  bool running = false;
  bool stale = false;  ///< the run that is shown was measured with other inputs or another file
  QString function;
};

class RunPage : public QWidget {
  Q_OBJECT
 public:
  /// `emptyText` is the plain line of the empty state; "%1" in it becomes the function's name.
  RunPage(const PageContext& context, const char* emptyIcon, const QString& emptyText,
          QWidget* parent = nullptr);

  /// A page takes the height that the window has; asking all of them at each switch took 30 ms.
  bool hasHeightForWidth() const override { return false; }

  /// Null: no run; the empty state is shown.
  virtual void setRun(std::shared_ptr<const RunView> run);
  /// What lies within the chosen range; null: the whole run is shown. setRun() comes first and ends a range.
  virtual void setRange(std::shared_ptr<const RunView> part);
  virtual void setStatus(const PageStatus& status);
  /// The executable that is open; null: none, though there may be a run.
  virtual void setExecutable(const std::shared_ptr<const session::ExecutableInfo>& info);
  /// Puts the focus into the page's search; false when it has none.
  virtual bool focusSearch() { return false; }
  /// What the page can take back by itself, besides the filter: a zoom. When it was done; 0: there is
  /// nothing.
  virtual UndoStep undoStep() const { return 0; }
  virtual UndoStep redoStep() const { return 0; }
  virtual void undo() {}
  virtual void redo() {}
  /// The rows that can be copied; null when the page shows none.
  virtual DataTable* rowsTable() { return nullptr; }
  /// What has the focus when the page is come to by keyboard; null: its first control.
  virtual QWidget* keyboardStart();
  /// Besides what every page can do. Asked for once.
  virtual std::vector<PageAct> acts() { return {}; }
  /// For the right end of the status bar while the page is shown; may be empty.
  virtual QString note() const { return {}; }

 Q_SIGNALS:
  void runRequested();
  void openRequested();
  void noteChanged();
  /// undoStep() or redoStep() say something else now.
  void undoChanged();

 protected:
  /// The widget that is shown while there is a run.
  void setContent(QWidget* content);
  /// Shows the content also without a run.
  void showContent();
  const PageContext& context() const { return m_context; }
  const Theme* theme() const { return m_context.theme; }
  const std::shared_ptr<const RunView>& run() const { return m_run; }

 private:
  PageContext m_context;
  QString m_emptyText;
  std::shared_ptr<const RunView> m_run;
  QStackedWidget* m_stack;
  EmptyState* m_empty;
  ActionButton* m_runButton;
  QWidget* m_content = nullptr;
};

}  // namespace opscope::ui
