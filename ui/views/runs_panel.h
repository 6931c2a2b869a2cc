// SPDX-License-Identifier: GPL-3.0-or-later
// The saved runs, at the foot of the window: one row a run, ticks to compare, notes and tags in place. Folded
// it is a strip of one line. GUI thread; store and theme outlive it.
#pragma once

#include <QLineEdit>
#include <QStackedWidget>
#include <QWidget>
#include <optional>

#include "ui/models/runs_model.h"
#include "ui/views/widgets/data_table.h"
#include "ui/views/widgets/panels.h"

namespace opscope::ui {

class RunsPanel : public QWidget {
  Q_OBJECT
 public:
  RunsPanel(const Theme* theme, RunStore* store, QWidget* parent = nullptr);
  RunsModel* model() { return m_model; }
  DataTable* table() { return m_table; }
  bool isFolded() const { return m_folded; }
  void setFolded(bool folded);
  /// Of title, header and rows together, in design pixels.
  int openHeight() const { return m_openHeight; }
  void setOpenHeight(int height);
  /// The run that the pages show; its row is chosen.
  void setShownRun(std::optional<store::RunId> id);
  bool focusSearch();
  /// What has the focus when the panel is come to by keyboard.
  QWidget* keyboardStart() const;

  /// What Compare holds against each other while nothing is ticked here; empty: nothing.
  void setCompared(const QString& words);

 Q_SIGNALS:
  /// Double click or Return.
  void openRequested(store::RunId id);
  /// Two ticked runs, the older one first, or two groups; neither is empty.
  void compareRequested(const RunGroup& before, const RunGroup& after);
  void sessionFileRequested(store::RunId id);
  void foldRequested(bool folded);
  void openHeightChanged(int height);

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget* buildTitle();
  QWidget* buildBody();
  void buildActions();
  QAction* addAct(const QString& text, const QKeySequence& keys, void (RunsPanel::*act)());
  void refresh();
  void refreshTitle();
  void refreshState();
  int titleWidth(int column) const;
  void layoutColumns();
  void applyHeight();
  void showMenu(const QPoint& place);
  std::vector<store::RunId> chosen() const;
  void openCurrent();
  void editCurrent(int column);
  void editNote() { editCurrent(RunsModel::Note); }
  void editTags() { editCurrent(RunsModel::Tags); }
  void deleteChosen();
  void compareTicked();
  void tickChosen();
  void compareChosen();
  void groupAsOld() { groupChosen(RunsModel::Choice::Old); }
  void groupAsNew() { groupChosen(RunsModel::Choice::New); }
  void groupChosen(RunsModel::Choice group);
  void clearGroups() { m_model->clearGroups(); }
  QString groupWords(RunsModel::Choice which) const;
  LinkButton* link(const QString& words, const QString& tooltip, void (RunsPanel::*act)());
  void exportCurrent();
  QString summary() const;

  QString m_compared;
  const Theme* m_theme;
  RunStore* m_store;
  RunsModel* m_model;
  DataTable* m_table;
  QWidget* m_title;
  QStackedWidget* m_body;
  QToolButton* m_unfold;
  QToolButton* m_fold;
  ElidedText* m_summary;
  Text* m_removedText;
  LinkButton* m_undo;
  LinkButton* m_compare;
  LinkButton* m_asOld;
  LinkButton* m_asNew;
  LinkButton* m_clearGroups;
  QLineEdit* m_filter;
  Text* m_nothing;
  LinkButton* m_clear;
  std::vector<QAction*> m_actions;
  std::optional<store::RunId> m_shownRun;
  std::optional<int> m_dragFrom;
  int m_dragHeight = 0;
  int m_openHeight = kUsualHeight;
  bool m_folded = false;

  static constexpr int kUsualHeight = 152;
};

}  // namespace opscope::ui
