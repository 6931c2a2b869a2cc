// SPDX-License-Identifier: GPL-3.0-or-later
// The form of a function's inputs: free dimensions, then one block an input. GUI thread; the form model
// outlives it.
#pragma once

#include <QComboBox>
#include <QLineEdit>
#include <QSpinBox>
#include <QVBoxLayout>
#include <vector>

#include "ui/models/input_form.h"
#include "ui/views/array_key_combo.h"
#include "ui/views/widgets/panels.h"

namespace opscope::ui {

class InputFormView : public QWidget {
  Q_OBJECT
 public:
  InputFormView(const Theme* theme, InputForm* form, QWidget* parent = nullptr);
  /// Puts the focus into the first field with a problem.
  void focusProblem();
  /// Opens the file dialog of the first input with a wrong file.
  void chooseAnotherFile();
  /// Something else takes its place.
  void setSuppressed(bool suppressed);
  bool isSuppressed() const { return m_suppressed; }

 Q_SIGNALS:
  /// A scenario is to run in place of the function.
  void scenarioWanted();

 private:
  struct FieldWidgets {
    Text* type = nullptr;
    QComboBox* source = nullptr;
    QLineEdit* seed = nullptr;
    QWidget* rangeRow = nullptr;
    QLineEdit* low = nullptr;
    QLineEdit* high = nullptr;
    QLineEdit* constant = nullptr;
    QLineEdit* text = nullptr;
    QWidget* fileRow = nullptr;
    QLineEdit* file = nullptr;
    ArrayKeyCombo* key = nullptr;
    ActionButton* take = nullptr;
    Text* problem = nullptr;
    LinkButton* useRandom = nullptr;
  };
  struct DimensionWidgets {
    QSpinBox* value = nullptr;
    Text* problem = nullptr;
  };
  void rebuild();
  void addHead(const QString& function);
  void refresh();
  void addDimension(int index);
  void addUsers(const DimensionField& field, QHBoxLayout* row);
  void addField(int index);
  void addTensorControls(int index, FieldWidgets& widgets);
  void addRangeRow(int index, FieldWidgets& widgets);
  void addFileRow(int index, FieldWidgets& widgets);
  void askFile(int index);
  void refreshField(int index);
  void refreshFile(const InputField& field, const FieldWidgets& widgets);

  const Theme* m_theme;
  InputForm* m_form;
  QVBoxLayout* m_layout;
  std::vector<FieldWidgets> m_fields;
  std::vector<DimensionWidgets> m_dimensions;
  bool m_suppressed = false;
};

}  // namespace opscope::ui
