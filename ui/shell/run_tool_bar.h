// SPDX-License-Identifier: GPL-3.0-or-later
// The tool bar: Open, target, device, function, Run, Stop, repeats, warm-up, Find action. GUI thread.
#pragma once

#include <QComboBox>
#include <QHBoxLayout>
#include <QWidget>
#include <vector>

#include "ui/models/target_list.h"
#include "ui/shell/workspace.h"
#include "ui/views/widgets/buttons.h"
#include "ui/views/widgets/count_box.h"
#include "ui/views/widgets/labels.h"

class QMenu;

namespace opscope::ui {

class RunToolBar : public QWidget {
  Q_OBJECT
 public:
  RunToolBar(const Theme* theme, Workspace* workspace, QWidget* parent = nullptr);
  void refresh();
  /// What it shows gives way: it makes no window wider.
  QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }
  QComboBox* targetCombo() { return m_target; }
  QComboBox* deviceCombo() { return m_device; }
  QComboBox* functionCombo() { return m_function; }

 Q_SIGNALS:
  void openRequested();
  void paletteRequested();
  void boardsRequested();
  void scenarioRequested();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void shareRoom();
  /// `level` things have left.
  void give(int level);
  void addRecords(QMenu* menu);
  void addCounts(QMenu* menu);
  void fitSpin(QSpinBox* spin);
  QComboBox* addCombo(const QString& label, int width, const QString& tooltip);
  void placeCombo(QComboBox* combo, const QString& label, int width, const QString& tooltip);
  void buildTarget();
  void chooseTarget(int row);
  void refreshDevices();
  CountBox* addSpin(const QString& label, int minimum, const QString& tooltip);
  void buildRecord();
  void refreshFunctions();
  void refreshFunction();
  void chooseFunction(int row);

  const Theme* m_theme;
  Workspace* m_workspace;
  QHBoxLayout* m_layout;
  struct Field {
    QComboBox* combo;
    Text* label;
    int width;  ///< at 100 % text, with all the room
  };
  std::vector<Field> m_fields;
  std::vector<Text*> m_countLabels;
  ActionButton* m_open;
  TargetList* m_targets;
  QComboBox* m_target;
  QComboBox* m_device;
  QComboBox* m_function;
  ActionButton* m_run;
  ActionButton* m_stop;
  CountBox* m_repeats;
  CountBox* m_warmup;
  ActionButton* m_record;
  ActionButton* m_more;  ///< in place of what has no room
  ActionButton* m_find;
};

}  // namespace opscope::ui
