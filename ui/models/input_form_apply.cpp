// SPDX-License-Identifier: GPL-3.0-or-later
// InputForm::apply: values given in the command line's words become choices of the form.
#include "ui/models/input_form.h"

namespace opscope::ui {
namespace {

/// "random:7:-1:1". A range that cannot be is taken too: the form says what is wrong with it.
bool takeRange(InputField& field, const QString& words) {
  const QStringList parts = words.split(QLatin1Char(':'));
  bool isSeed = false;
  if (parts.size() != 4 || parts[0] != QLatin1String("random")) return false;
  const quint64 seed = parts[1].toULongLong(&isSeed);
  if (!isSeed) return false;
  field.source = InputSource::RandomRange;
  field.seed = seed;
  field.low = parts[2];
  field.high = parts[3];
  return true;
}

/// True when the field's controls can say all that the words say.
bool take(InputField& field, const QString& words) {
  if (field.parameter.kind != vm::ParameterKind::Tensor &&
      field.parameter.kind != vm::ParameterKind::Opaque) {
    field.text = words;
    return true;
  }
  if (takeRange(field, words)) return true;
  const auto parsed = session::parseInputSpec(words.toStdString());
  if (!parsed || parsed->shape || parsed->type || parsed->range || !parsed->kindGiven) return false;
  using Kind = session::InputSpec::Kind;
  switch (parsed->kind) {
    case Kind::Random:
      field.source = InputSource::Random;
      field.seed = parsed->seed;
      return true;
    case Kind::Zeros:
      field.source = InputSource::Zeros;
      return true;
    case Kind::Ones:
      field.source = InputSource::Ones;
      return true;
    case Kind::Range:
      field.source = InputSource::Range;
      return true;
    case Kind::Constant:
      field.source = InputSource::Constant;
      field.constant = words.section(QLatin1Char(':'), -1);
      return true;
    case Kind::File:
      field.source = InputSource::File;
      field.file = QString::fromStdString(parsed->file);
      field.key = QString::fromStdString(parsed->key);
      return true;
  }
  return false;
}

}  // namespace

void InputForm::apply(const session::InputPlan& plan) {
  m_given = {};
  m_given.arraysFile = plan.arraysFile;
  for (const auto& [name, value] : plan.dimensions) {
    bool known = false;
    for (DimensionField& field : m_dimensions) {
      if (field.name.toStdString() != name) continue;
      field.value = value;
      known = true;
    }
    if (!known) m_given.dimensions[name] = value;
  }
  for (const auto& [name, value] : plan.values) {
    bool taken = false;
    std::string ownName = name;
    for (std::size_t i = 0; i < m_fields.size(); ++i) {
      const bool named = m_fields[i].name.toStdString() == name || std::to_string(i) == name;
      if (!named) continue;
      // Not by its position, or it would be given twice.
      ownName = m_fields[i].name.toStdString();
      taken = take(m_fields[i], QString::fromStdString(value));
      if (!taken) m_fields[i].source = InputSource::Random;  // what it was before counts no more
    }
    // Shapes and types have no control of their own: the words go to the engine as they are.
    if (!taken) m_given.values[ownName] = value;
  }
  check();
  Q_EMIT rebuilt();
  Q_EMIT changed();
}

}  // namespace opscope::ui
