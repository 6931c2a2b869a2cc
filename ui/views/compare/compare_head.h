// SPDX-License-Identifier: GPL-3.0-or-later
// The head of the Compare page: which two runs, their totals, the verdict on the total. And the chips that
// count verdicts. GUI thread; the page owns them.
#pragma once

#include <QComboBox>

#include "ui/models/compare_choice.h"
#include "ui/models/compare_view.h"
#include "ui/views/widgets/panels.h"

namespace opscope::ui {

class CompareHead : public QWidget {
  Q_OBJECT
 public:
  explicit CompareHead(const Theme* theme, QWidget* parent = nullptr);
  void setChoices(const std::vector<CompareOption>& options, const CompareChoice& before,
                  const CompareChoice& after);
  void setComparison(const CompareView* view);
  QComboBox* before() { return m_sides[0].choice; }
  QComboBox* after() { return m_sides[1].choice; }

 Q_SIGNALS:
  void choiceMade(bool isNew, const CompareChoice& choice);
  void fileRequested(bool isNew);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  struct Side {
    QComboBox* choice;
    ElidedText* detail;
  };
  Side addSide(QHBoxLayout* row, const QString& title, bool isNew);
  void take(bool isNew, int line);
  void showInterval();

  const Theme* m_theme;
  Side m_sides[2];
  Text* m_total;
  Text* m_unit;
  Text* m_interval;
  Text* m_verdict;
  Text* m_verdictWords;
  std::vector<CompareOption> m_options;
  QString m_intervalText;  ///< empty: there is none
  CompareChoice m_chosen[2];
};

/// "▼ faster 27": shows ops of this verdict alone while it is down.
class VerdictChip : public QAbstractButton {
  Q_OBJECT
 public:
  VerdictChip(const Theme* theme, report::Verdict verdict, QWidget* parent = nullptr);
  void setCount(std::size_t count);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString words() const;

  const Theme* m_theme;
  report::Verdict m_verdict;
  std::size_t m_count = 0;
};

}  // namespace opscope::ui
