// SPDX-License-Identifier: GPL-3.0-or-later
// The Charts page: the charts of charts() in two columns (one below 900 px), by segment. GUI thread; the
// window owns it.
#pragma once

#include <QScrollArea>
#include <vector>

#include "ui/views/charts/chart_frame.h"
#include "ui/views/run_page.h"
#include "ui/views/widgets/range_chip.h"

namespace opscope::ui {

class ColourChoice;
class SweepBar;

class ChartsPage : public RunPage {
  Q_OBJECT
 public:
  explicit ChartsPage(const PageContext& context, QWidget* parent = nullptr);
  void setRun(std::shared_ptr<const RunView> run) override;
  /// Limits the charts of one repeat; those against repeats stay whole.
  void setRange(std::shared_ptr<const RunView> part) override;
  /// The same for a document alone, in tests and tools; a null run shows the empty state.
  void setDocument(const report::Document& document);

  void showSegment(ChartSegment segment);
  std::vector<PageAct> acts() override;
  /// Also without a run; null: none.
  void setSweep(const std::shared_ptr<const SweepView>& sweep);
  SweepBar* sweepBar() const { return m_sweepBar; }
  const std::vector<ChartFrame*>& frames() const { return m_frames; }
  /// Null when there is no such chart.
  ChartFrame* frame(const QString& id) const;
  /// Gives one chart the page, or (null) shows all again.
  void enlarge(ChartFrame* frame);
  /// What commands for one chart are about: that with the focus, or that had it last, else the first that is
  /// shown; null: none is.
  ChartFrame* currentFrame() const;
  /// "shufflenet-main-treemap.svg": what a saved chart is called at first.
  QString fileNameOf(const ChartFrame& frame, PictureFormat format) const;
  /// Draws now, writes in the background, then tells in the bar over the charts.
  void writeChart(ChartFrame* frame, PictureFormat format, const QString& path);
  /// All charts that have something to draw, of every segment, into `folder`; files of the same names are
  /// replaced.
  void writeAllCharts(PictureFormat format, const QString& folder);

 Q_SIGNALS:
  /// For the status bar.
  void noticed(const QString& words);
  /// `error` is empty when all files were written.
  void picturesWritten(const QStringList& paths, const QString& error);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  struct Job {
    Picture picture;
    QString path;
  };
  QWidget* buildBar();
  void buildFrames();
  void addSegment(ChartSegment segment, const char* text, const char* tooltip, QHBoxLayout* row);
  void layCharts();
  void followFocus(const QWidget* focus);
  void placeFrames(const std::vector<ChartFrame*>& shown, int columns);
  void askPath(ChartFrame* frame, PictureFormat format);
  void askFolder(PictureFormat format);
  void askReplace(PictureFormat format, const QString& folder, const QStringList& existing);
  void showPart(std::shared_ptr<const RunView> part);
  /// The chosen range rather than the whole run.
  bool showsPart(ChartSegment segment) const;
  bool canSave(const ChartFrame& frame) const;
  const std::shared_ptr<const RunView>& shownIn(const ChartFrame& frame) const;
  void copyPicture(ChartFrame* frame);
  void write(std::vector<Job> jobs);
  void tellWritten(const QStringList& paths, const QString& error);

  ChartSegment m_segment = ChartSegment::TimeByOp;
  std::vector<ChartFrame*> m_frames;
  std::vector<std::pair<ChartSegment, QAbstractButton*>> m_segmentButtons;
  ChartFrame* m_enlarged = nullptr;
  ChartFrame* m_focused = nullptr;  ///< that had the focus last
  std::shared_ptr<const RunView> m_part;
  ColourChoice* m_colour = nullptr;
  ElidedText* m_hint = nullptr;
  RangeChip* m_range = nullptr;
  SweepBar* m_sweepBar = nullptr;
  std::shared_ptr<const SweepView> m_sweep;
  ActionButton* m_showAll = nullptr;
  ActionButton* m_saveAll = nullptr;
  InfoBar* m_message = nullptr;
  QScrollArea* m_scroll = nullptr;
  QWidget* m_area = nullptr;
};

}  // namespace opscope::ui
