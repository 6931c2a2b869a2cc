// SPDX-License-Identifier: GPL-3.0-or-later
// The Summary page while a profile goes on: the total of each repeat and the ops, as far as they are known.
// GUI thread.
#pragma once

#include <QWidget>

#include "ui/models/live_ops_model.h"
#include "ui/views/widgets/data_table.h"
#include "ui/views/widgets/panels.h"
#include "ui/views/widgets/plots.h"

namespace opscope::ui {

class SummaryRunning : public QWidget {
  Q_OBJECT
 public:
  explicit SummaryRunning(const Theme* theme, QWidget* parent = nullptr);
  /// Shows what the run holds now; it has a repeat at least.
  void setRun(const LiveRun& run);
  /// Forgets the run that was shown.
  void clear();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void setUpTable();
  void layoutColumns();

  const Theme* m_theme;
  Panel* m_plotPanel;
  RepeatPlot* m_plot;
  ElidedText* m_plotWords;
  Panel* m_opsPanel;
  ElidedText* m_opsWords;
  LiveOpsModel* m_model;
  DataTable* m_table;
};

}  // namespace opscope::ui
