// SPDX-License-Identifier: GPL-3.0-or-later
// Over the charts of a sweep: which saved one is shown, and what a new one varies. GUI thread.
#pragma once

#include <QComboBox>
#include <QLineEdit>
#include <QStringList>
#include <QWidget>
#include <cstdint>
#include <vector>

#include "ui/views/widgets/buttons.h"
#include "ui/views/widgets/labels.h"

namespace opscope::ui {

class SweepBar : public QWidget {
  Q_OBJECT
 public:
  explicit SweepBar(const Theme* theme, QWidget* parent = nullptr);

  /// Words of the saved sweeps, newest first; `current` of them is shown (-1: none of them).
  void setSaved(const QStringList& words, int current);
  /// What can be varied, free dimensions first; empty: nothing can be run.
  void setVariables(const QStringList& names);
  /// What goes on ("12 of 40 repeats"), or empty when nothing does.
  void setProgress(bool running, const QString& words);
  /// A sweep can be started now; else why not, for the tooltip.
  void setPossible(bool possible, const QString& why);
  /// In words at the right end; empty: nothing is wrong.
  void setProblem(const QString& problem);

  QComboBox* saved() const { return m_saved; }
  QComboBox* variable() const { return m_variable; }
  QLineEdit* values() const { return m_values; }
  QPushButton* startButton() const { return m_start; }
  QString problem() const { return m_words->text(); }

 Q_SIGNALS:
  void savedChosen(int index);
  void startRequested(const QString& over, const std::vector<std::int64_t>& values);
  void stopRequested();

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void start();

  const Theme* m_theme;
  QComboBox* m_saved;
  QComboBox* m_variable;
  QLineEdit* m_values;
  ActionButton* m_start;
  ElidedText* m_words;
  bool m_running = false;
  bool m_possible = false;
};

}  // namespace opscope::ui
