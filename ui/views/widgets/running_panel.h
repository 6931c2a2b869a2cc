// SPDX-License-Identifier: GPL-3.0-or-later
// What runs now: stages with a tick each, bar, remaining time, "Stop and keep 18". GUI thread.
#pragma once

#include <QProgressBar>
#include <QWidget>
#include <vector>

#include "ui/views/widgets/panels.h"

namespace opscope::ui {

struct RunningText {
  struct Stage {
    QString text;  ///< "3 warm-ups"
    double seconds = 0;
    enum class Mark { Done, Now, ToCome } mark = Mark::ToCome;
  };
  QString title;   ///< "Measuring main"
  QString detail;  ///< "repeat 19 of 30"
  double remainingSeconds = -1;
  int done = 0;
  int total = 0;           ///< 0: unknown
  int kept = 0;            ///< finished repeats
  bool keepsMore = false;  ///< more than these may be kept: those of a board come over later
  bool stopping = false;
  int stoppingSeconds = 0;
  std::vector<Stage> stages;
};

class RunningPanel : public QWidget {
  Q_OBJECT
 public:
  explicit RunningPanel(const Theme* theme, QWidget* parent = nullptr);
  void setState(const RunningText& state);

 Q_SIGNALS:
  void stopRequested();

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void showStages();

  const Theme* m_theme;
  std::vector<RunningText::Stage> m_shown;
  Text* m_title;
  Text* m_detail;
  Text* m_remaining;
  ActionButton* m_stop;
  QProgressBar* m_bar;
  QLabel* m_stages;
};

}  // namespace opscope::ui
