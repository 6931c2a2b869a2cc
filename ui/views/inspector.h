// SPDX-License-Identifier: GPL-3.0-or-later
// The Inspector: statistics, spread, arguments and calls of the selected op. GUI thread; the window owns it.
#pragma once

#include <QScrollArea>
#include <QStackedWidget>

#include "ui/models/run_view.h"
#include "ui/views/widgets/panels.h"
#include "ui/views/widgets/plots.h"

namespace opscope::ui {

class Inspector : public QWidget {
  Q_OBJECT
 public:
  Inspector(const Theme* theme, Selection* selection, QWidget* parent = nullptr);
  void setRun(std::shared_ptr<const RunView> run);

 Q_SIGNALS:
  /// Show a call on the Timeline; it is selected already.
  void timelineRequested();

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void refresh();
  void refreshLater();
  void build(const OpDetails& details);
  void addHead(const OpDetails& details);
  void addSpread(const QString& title, const std::vector<double>& samples, const Fill& fill);
  void addStatistics(const report::Statistics& statistics);
  void addArguments(const QString& shapes);
  void addCalls(const OpDetails& details);
  Text* addSection(const QString& title, const QString& right);

  const Theme* m_theme;
  Selection* m_selection;
  std::shared_ptr<const RunView> m_run;
  QStackedWidget* m_stack;
  EmptyState* m_empty;
  QScrollArea* m_scroll;
  QVBoxLayout* m_layout = nullptr;
  bool m_allCalls = false;
  bool m_refreshPending = false;
};

}  // namespace opscope::ui
