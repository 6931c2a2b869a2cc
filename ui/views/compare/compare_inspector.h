// SPDX-License-Identifier: GPL-3.0-or-later
// What the right panel shows beside the Compare page: the chosen op in both runs, its repeats against each
// other, its numbers, its arguments. GUI thread; the window owns it.
#pragma once

#include <QScrollArea>
#include <QStackedWidget>

#include "ui/models/compare_view.h"
#include "ui/views/widgets/panels.h"

namespace opscope::ui {

class CompareInspector : public QWidget {
  Q_OBJECT
 public:
  explicit CompareInspector(const Theme* theme, QWidget* parent = nullptr);
  /// `op` of Comparison::ops; -1: none.
  void show(const std::shared_ptr<const CompareView>& view, int op);

 Q_SIGNALS:
  void codeRequested();
  void repeatsRequested();

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void rebuild();
  void addHead(const report::ComparedOp& op);
  void addReasons(const report::ComparedOp& op);
  void addActions();
  void addRepeats();
  void addNumbers(const report::ComparedOp& op);
  void addArguments(const report::ComparedOp& op);
  void addSection(const QString& title, const QString& right);
  Text* text(const QString& words, double size, QColor Colours::*colour,
             QFont::Weight weight = QFont::Normal) const;

  const Theme* m_theme;
  std::shared_ptr<const CompareView> m_view;
  int m_op = -1;
  QStackedWidget* m_stack;
  QScrollArea* m_scroll;
  QVBoxLayout* m_layout = nullptr;
};

}  // namespace opscope::ui
