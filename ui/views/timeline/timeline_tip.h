// SPDX-License-Identifier: GPL-3.0-or-later
// The card beside the cursor that tells what a call was. A child of the timeline, within which it stays. GUI
// thread.
#pragma once

#include <QWidget>
#include <vector>

#include "ui/views/timeline/timeline_scene.h"

namespace opscope::ui {

struct TipText {
  const Fill* fill = nullptr;
  QStringList name;  ///< lines
  QString time;
  QString about;
  std::vector<std::pair<QString, QString>> rows;
  QStringList shapes;
};

/// Of a call, or of merged calls: their number, sum and longest.
TipText tipOf(const TimelineScene& scene, const SceneHit& hit);

class TimelineTip : public QWidget {
  Q_OBJECT
 public:
  TimelineTip(const Theme* theme, QWidget* parent);
  void setText(TipText text);
  const TipText& text() const { return m_text; }
  /// Beside `point` of the parent, within `area`.
  void place(const QPoint& point, const QRect& area);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  int rowHeight() const { return m_theme->px(18); }

  const Theme* m_theme;
  TipText m_text;
};

}  // namespace opscope::ui
