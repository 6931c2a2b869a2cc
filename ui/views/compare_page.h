// SPDX-License-Identifier: GPL-3.0-or-later
// The Compare page: two runs, op by op, with verdicts; where the difference of the totals comes from. GUI
// thread; the window owns it. It computes and loads nothing: the window gives it the comparison.
#pragma once

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>
#include <map>

#include "ui/models/compare_choice.h"
#include "ui/models/compare_model.h"
#include "ui/views/run_page.h"
#include "ui/views/widgets/data_table.h"
#include "ui/views/widgets/filter_field.h"
#include "ui/views/widgets/filter_problem.h"
#include "ui/views/widgets/picture.h"

namespace opscope::ui {

class CompareHead;
class VerdictChip;
class Waterfall;

class ComparePage : public RunPage {
  Q_OBJECT
 public:
  explicit ComparePage(const PageContext& context, QWidget* parent = nullptr);
  void setRun(std::shared_ptr<const RunView> run) override;
  void setStatus(const PageStatus& status) override;
  bool focusSearch() override;
  QString note() const override;
  /// For the left end of the status bar in place of the run that is shown, and what stands beside it.
  QString state() const;
  QString stateDetail() const;
  DataTable* rowsTable() override;
  std::vector<PageAct> acts() override;

  /// Null: there is nothing to show (yet).
  void setComparison(const std::shared_ptr<const CompareView>& view);
  void setChoices(const std::vector<CompareOption>& options, const CompareChoice& before,
                  const CompareChoice& after);
  void setBusy(bool busy);
  /// Why there is no comparison; empty: nothing is wrong.
  void setProblem(const QString& problem);
  void setBeforePossible(bool possible);
  /// "Run both again": how far it is, empty while it does not run; what went wrong, or why it cannot be done.
  void setAgain(bool running, const QString& progress, const QString& problem);
  CompareModel* model() { return m_model; }
  DataTable* table() { return m_table; }
  Waterfall* waterfall() { return m_waterfall; }
  /// Of Comparison::ops; -1: none.
  int chosenOp() const { return m_chosen; }
  /// Of the waterfall. There is a comparison.
  void writePictureTo(const QString& path, PictureFormat format);
  /// Whether the waterfall has the page to itself.
  bool isEnlarged() const { return m_enlarged; }
  void enlarge(bool enlarged);

 Q_SIGNALS:
  void choiceMade(bool isNew, const CompareChoice& choice);
  /// "Choose a file": of one side.
  void fileRequested(bool isNew);
  void twoFilesRequested();
  void beforeRequested();
  void againRequested();
  void againStopRequested();
  void minimumEffectChanged(double part);
  void chosenOpChanged();
  void opsRequested();
  void noticed(const QString& text);
  /// Empty error: it was written.
  void pictureWritten(const QString& path, const QString& error);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget* buildBar();
  QWidget* buildTable();
  QWidget* buildFoot();
  void showFoot();
  void fillFootMenu(QMenu* menu);
  void askPath(PictureFormat format);
  void copyPicture();
  void buildCopyMenu();
  void showState();
  void showWarnings();
  void showChips();
  void showRows();
  void buildAgainButton();
  void showFilter();
  void takeSelection();
  void showSelection();
  void choose(int op, bool tellAll);
  void toggleVerdict(report::Verdict verdict, bool shown);
  void layoutColumns();
  int widthOf(int column, int usual) const;

  CompareModel* m_model;
  DataTable* m_table;
  CompareHead* m_head;
  InfoBar* m_warnings;
  QLineEdit* m_filter;
  FilterProblem* m_filterProblem;
  std::map<report::Verdict, VerdictChip*> m_chips;
  Text* m_effectWords;
  QDoubleSpinBox* m_effect;
  ActionButton* m_again;
  InfoBar* m_againBar;
  ActionButton* m_copy;
  QStackedWidget* m_tableStack;
  EmptyState* m_nothingFound;
  QWidget* m_bar;
  InfoBar* m_saved;  ///< what went wrong with a picture
  QWidget* m_foot;
  ElidedText* m_footDetail;
  QToolButton* m_footSave;
  ActionButton* m_footEnlarge;
  Waterfall* m_waterfall;
  QStackedWidget* m_stack;
  EmptyState* m_emptyState;
  ActionButton* m_before;
  std::shared_ptr<const CompareView> m_view;
  QString m_problem;
  int m_chosen = -1;
  bool m_enlarged = false;
  bool m_busy = false;
  bool m_againRuns = false;
  bool m_showing = false;
};

}  // namespace opscope::ui
