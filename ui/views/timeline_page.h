// SPDX-License-Identifier: GPL-3.0-or-later
// The Timeline page: search, colours, repeats, the timeline and the totals of a range. Repeats are made ready
// away from the GUI thread; the old one stays until the new one is whole. GUI thread; the window owns it.
#pragma once

#include <QComboBox>
#include <QLineEdit>
#include <QSplitter>
#include <QTimer>

#include "ui/models/timeline_data.h"
#include "ui/views/run_page.h"
#include "ui/views/widgets/filter_field.h"
#include "ui/views/widgets/filter_problem.h"
#include "ui/views/widgets/picture.h"

namespace opscope::ui {

class ColourChoice;
class Legend;
class RangePanel;
class TimelineView;

class TimelinePage : public RunPage {
  Q_OBJECT
 public:
  explicit TimelinePage(const PageContext& context, QWidget* parent = nullptr);
  void setRun(std::shared_ptr<const RunView> run) override;
  bool focusSearch() override;
  std::vector<PageAct> acts() override;
  void undo() override;
  void redo() override;
  UndoStep undoStep() const override;
  UndoStep redoStep() const override;
  /// The same for a document alone, in tests and tools; a null run shows the empty state.
  void setDocument(const report::Document& document);

  void showRepeat(std::uint32_t repeat);
  /// Where other pages lead to: the chosen call, or the longest of the chosen op, close and in the middle,
  /// with the keyboard in the lanes.
  void showChosenCall();
  /// Draws now, writes in the background, then tells in the bar over the timeline.
  void writePictureTo(const QString& path, PictureFormat format);
  TimelineView* view() { return m_view; }
  RangePanel* rangePanel() { return m_rangePanel; }
  /// Zooms jump where the user wants less motion.
  void setAnimated(bool animated);
  /// The part in view, and that times were placed where a report has none.
  QWidget* keyboardStart() override;
  QString note() const override;

 Q_SIGNALS:
  /// For the status bar.
  void noticed(const QString& words);
  /// `error` is empty when the file was written.
  void pictureWritten(const QString& path, const QString& error);
  /// What is chosen is to be seen in Ops.
  void opsRequested();

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* buildBar();
  void buildSearch(QHBoxLayout* row);
  void buildPager(QHBoxLayout* row);
  void buildSave(QHBoxLayout* row);
  void askPath(PictureFormat format);
  void countHits();
  void showSearch();
  void stepRepeat(int by);
  void load(std::uint32_t repeat);
  void take(std::shared_ptr<const Timeline> timeline);
  void takeColour();
  void showLegend();
  void showPager();
  void showFilter();
  /// Counts what the range holds, or, without one, the part in view.
  void takeRange();
  std::optional<TimeRange> rangeInView() const;
  void followView();

  TimelineView* m_view;
  RangePanel* m_rangePanel;
  QSplitter* m_splitter;
  QLineEdit* m_search;
  FilterProblem* m_searchProblem;
  Text* m_hits;
  EmptyState* m_nothing = nullptr;
  InfoBar* m_message;
  QToolButton* m_save;
  ColourChoice* m_colour;
  Legend* m_legend;
  Text* m_repeatText;
  QToolButton* m_previous;
  QToolButton* m_next;
  QTimer m_slowTimer;  ///< a load that takes longer than 300 ms says so
  std::uint32_t m_repeat = 0;
  quint64 m_loading = 0;  ///< number of the newest load; older ones are dropped
  quint64 m_counting = 0;
  bool m_mustShowCall = false;  ///< once the repeat that is being made ready is there
};

}  // namespace opscope::ui
