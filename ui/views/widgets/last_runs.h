// SPDX-License-Identifier: GPL-3.0-or-later
// The newest saved runs on the start page: a small table whose rows open them. GUI thread.
#pragma once

#include <QWidget>
#include <vector>

#include "ui/bridge/run_store.h"
#include "ui/views/widgets/panels.h"

namespace opscope::ui {

class LastRuns : public QWidget {
  Q_OBJECT
 public:
  explicit LastRuns(const Theme* theme, QWidget* parent = nullptr);
  /// Newest first; without any the widget is hidden.
  void setRuns(const std::vector<store::StoredRun>& runs);

 Q_SIGNALS:
  void openRequested(store::RunId id);

 private:
  const Theme* m_theme;
  QVBoxLayout* m_rows;
  std::vector<store::RunId> m_shown;
};

}  // namespace opscope::ui
