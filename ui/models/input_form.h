// SPDX-License-Identifier: GPL-3.0-or-later
// The form of a function's inputs: filled from its signature, it yields the InputPlan of a request and says
// what is wrong with a field before anything runs. GUI thread; the workspace owns it. Opens no file itself.
#pragma once

#include <QJsonObject>
#include <QObject>
#include <QString>
#include <QStringList>
#include <map>
#include <vector>

#include "ui/bridge/session_types.h"
#include "ui/models/array_files.h"

namespace opscope::ui {

/// In the order of the field's combo box.
enum class InputSource { Random, RandomRange, Zeros, Ones, Range, Constant, File };

struct InputField {
  QString name;  ///< as in InputPlan: "x", "x/0" for a member of a tuple
  vm::Parameter parameter;
  InputSource source = InputSource::Random;
  quint64 seed = 0;
  QString low = QStringLiteral("0");  ///< of RandomRange, as it was written
  QString high = QStringLiteral("1");
  QString constant = QStringLiteral("1");
  QString file;  ///< "take2.npy", "all.npz"
  QString key;   ///< within an npz file
  QString text;  ///< of shape, scalar and string parameters
  QString problem;
  bool isFileProblem = false;  ///< told by a run that read a file, which may be another one by now
};

struct DimensionField {
  QString name;
  qint64 value = 1;
  int uses = 0;  ///< places in the parameters where it stands
  QStringList usedBy;
  QString problem;
};

class InputForm : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;
  /// Files of inputs are listed by `files`, which outlives the form, and held against the function. Without
  /// it only a run tells what is wrong with them.
  void setArrayFiles(ArrayFiles* files);
  /// What the field's file holds; null when that is not known (yet).
  const session::ArrayListing* listingOf(const InputField& field) const;
  /// The files of all inputs, as they are now.
  void readFilesAgain();

  void setFunction(const session::FunctionInfo& function);
  void clear();
  const session::FunctionInfo& function() const { return m_function; }
  const std::vector<InputField>& fields() const { return m_fields; }
  const std::vector<DimensionField>& dimensions() const { return m_dimensions; }

  void setDimension(int index, qint64 value);
  void setSource(int index, InputSource source);
  void setSeed(int index, quint64 seed);
  void setRange(int index, const QString& low, const QString& high);
  void setConstant(int index, const QString& constant);
  void setFile(int index, const QString& file, const QString& key);
  void setText(int index, const QString& text);
  void reset();
  /// Values from the command line or a file that was kept; unknown names are left to the engine to report.
  void apply(const session::InputPlan& plan);

  session::InputPlan plan() const;
  bool isValid() const;
  /// Nothing is wrong but what the next run reads again from files.
  bool isWorthARun() const;
  /// Before a run: problems of files are forgotten, since they are read again.
  void forgetFileProblems();
  int problemCount() const;
  /// One line for the bar above the page: "Input x needs …".
  QString firstProblem() const;
  /// Marks the field or free dimension of that name; false when there is none.
  bool markProblem(const QString& name, const base::Error& error);

  /// "float32 [8, 3, 48, 192]" with the form's dimensions put in.
  QString resolvedType(const vm::Parameter& parameter) const;
  /// Bytes of a tensor with the form's dimensions; 0 when unknown.
  double resolvedBytes(const vm::Parameter& parameter) const;

  QJsonObject save() const;
  void restore(const QJsonObject& saved);

 Q_SIGNALS:
  /// Another function: build the form anew.
  void rebuilt();
  /// A value or a problem of a field changed.
  void changed();

 private:
  void addFields(const QString& name, const vm::Parameter& parameter);
  static QString rangeProblem(const InputField& field);
  void check();
  void checkFiles();
  void chooseKeys(const QString& file);
  qint64 dimensionValue(const std::string& name) const;

  ArrayFiles* m_files = nullptr;
  session::FunctionInfo m_function;
  session::InputPlan m_given;  ///< what apply() got and the form has no field for
  std::vector<InputField> m_fields;
  std::vector<DimensionField> m_dimensions;
};

/// The value of one field in the command line's words; empty: leave it to the engine's default.
QString valueWords(const InputField& field);

/// "f32 [n, 3, 48, 192]" for narrow places.
QString shortType(const vm::Parameter& parameter);

}  // namespace opscope::ui
