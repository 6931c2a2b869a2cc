// SPDX-License-Identifier: GPL-3.0-or-later
// The Summary page: ready to run, or what the run gave. GUI thread.
#pragma once

#include <QGridLayout>
#include <QScrollArea>

#include "ui/models/live_run.h"
#include "ui/models/ops_model.h"
#include "ui/views/run_page.h"
#include "ui/views/widgets/data_table.h"
#include "ui/views/widgets/note_list.h"
#include "ui/views/widgets/plots.h"

namespace opscope::ui {

/// What the ready state tells, made by the window from executable, form and choices.
struct ReadyText {
  QString function;
  std::vector<FactList::Row> whatWillRun;
  std::vector<FactList::Row> whereFrom;  ///< each input and what its signature was read from
  QString whereFromNote;
  std::vector<FactList::Row> computer;
  std::vector<NoteList::Note> computerNotes;  ///< what may disturb times that are measured on it now
  QString command;
  bool canRun = false;
  bool wrongInput = false;  ///< what to do about it stands above the page
  bool running = false;
};

/// Before the first run.
class SummaryReady : public QWidget {
  Q_OBJECT
 public:
  explicit SummaryReady(const Theme* theme, QWidget* parent = nullptr);
  void setText(const ReadyText& text);

 Q_SIGNALS:
  void runRequested();
  void plainRunRequested();

 private:
  void buildPanels(QVBoxLayout* layout);
  void buildFoot(QVBoxLayout* layout);

  const Theme* m_theme;
  Text* m_title;
  Text* m_words;
  FactList* m_what;
  Panel* m_wherePanel;
  FactList* m_where;
  Text* m_whereNote;
  FactList* m_computer;
  Hairline* m_computerLine;
  NoteList* m_computerNotes;
  ActionButton* m_run;
  ActionButton* m_plain;
  ElidedText* m_command;
};

/// After a run.
class SummaryResult : public QWidget {
  Q_OBJECT
 public:
  explicit SummaryResult(const PageContext& context, QWidget* parent = nullptr);
  void setRun(const std::shared_ptr<const RunView>& run);
  /// A clock beside the total: inputs, settings or file changed since.
  void setStale(bool stale);
  bool eventFilter(QObject* watched, QEvent* event) override;

 Q_SIGNALS:
  void opsRequested();

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  class Card;
  void placeCards(int across);
  void shareWidth();
  void buildTop(QVBoxLayout* layout);
  void buildBottom(QVBoxLayout* layout);
  void setCards(const RunView& run);
  void setNotes(const RunView& run);
  void setFacts(const RunView& run);
  void showFacts();
  void takeSelection();
  void layoutColumns();

  PageContext m_context;
  QGridLayout* m_cards;
  int m_cardsAcross = 0;
  Card* m_total;
  Card* m_kernels;
  Card* m_between;
  Card* m_noise;
  OpsModel* m_model;
  DataTable* m_table;
  ElidedText* m_topWords;
  LinkButton* m_allOps;
  Panel* m_top;
  Panel* m_plotPanel;
  RepeatPlot* m_plot;
  QBoxLayout* m_topRow;
  QBoxLayout* m_bottomRow;
  Panel* m_notesPanel;
  NoteList* m_notes;
  FactList* m_facts;
  LinkButton* m_moreFacts;
  std::vector<FactList::Row> m_firstFacts, m_otherFacts;
  bool m_allFacts = false;
};

class SummaryRunning;

class SummaryPage : public RunPage {
  Q_OBJECT
 public:
  explicit SummaryPage(const PageContext& context, QWidget* parent = nullptr);
  void setRun(std::shared_ptr<const RunView> run) override;
  void setReady(const ReadyText& text);
  /// A profile that goes on is shown in place of all else; null: none.
  void setLive(const LiveRun* live);
  bool isLive() const { return m_live; }
  void setStatus(const PageStatus& status) override;

 Q_SIGNALS:
  void opsRequested();
  void plainRunRequested();

 private:
  void showState();

  QScrollArea* m_readyScroll;
  SummaryReady* m_ready;
  SummaryResult* m_result;
  SummaryRunning* m_going;
  QScrollArea* m_goingScroll;
  QStackedWidget* m_states;
  bool m_live = false;
};

}  // namespace opscope::ui
