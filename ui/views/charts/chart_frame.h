// SPDX-License-Identifier: GPL-3.0-or-later
// A chart in its panel: title row with menu, and what is shown when there is nothing to draw or no room. GUI
// thread; the Charts page owns it.
#pragma once

#include <QStackedWidget>
#include <QToolButton>

#include "ui/views/charts/chart_picture.h"
#include "ui/views/widgets/panels.h"

namespace opscope::ui {

class ChartFrame : public Panel {
  Q_OBJECT
 public:
  ChartFrame(const ChartEntry& entry, const ChartContext& context, QWidget* parent = nullptr);

  const ChartEntry& entry() const { return m_entry; }
  /// With what it draws now, also while the frame is hidden.
  Chart* chart() const;
  void setRun(const std::shared_ptr<const RunView>& run);
  void setSweep(const std::shared_ptr<const SweepView>& sweep);
  /// Whether this chart has the page to itself; its menu says the opposite.
  void setEnlarged(bool enlarged);
  /// There is a drawing to save.
  bool canSave() const;
  /// Asks below the button in which format to save.
  void chooseFormat();
  /// Fills a menu with the formats and the other actions of the chart.
  void fillMenu(QMenu* menu);

 Q_SIGNALS:
  void saveRequested(PictureFormat format);
  void copyRequested();
  void enlargeRequested(bool enlarge);

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  QWidget* buildTitle();
  void takeTexts();
  void chooseShown();

  const Theme* m_theme;
  const ChartEntry& m_entry;
  Chart* m_chart;
  ElidedText* m_title;
  ElidedText* m_detail;
  QToolButton* m_save;
  QToolButton* m_more;
  QStackedWidget* m_body;
  EmptyState* m_empty;
  QWidget* m_tooSmall;
  bool m_enlarged = false;
};

}  // namespace opscope::ui
