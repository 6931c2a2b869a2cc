// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/input_form.h"

#include <QRegularExpression>
#include <algorithm>
#include <array>

#include "ui/models/format.h"

namespace opscope::ui {
namespace {

constexpr std::array kSourceWords = {"random", "randomRange", "zeros", "ones", "range", "const", "file"};

QString joined(const QStringList& parts) {
  return QLatin1Char('[') + parts.join(QLatin1String(", ")) + QLatin1Char(']');
}

void countUses(const vm::Parameter& parameter, const QString& name, std::vector<DimensionField>& dimensions) {
  for (const vm::Dimension& dimension : parameter.dimensions) {
    for (DimensionField& field : dimensions) {
      if (QString::fromStdString(dimension.name) != field.name) continue;
      ++field.uses;
      if (!field.usedBy.contains(name)) field.usedBy << name;
    }
  }
  for (const vm::Parameter& member : parameter.members) countUses(member, name, dimensions);
}

}  // namespace

QString valueWords(const InputField& field) {
  if (field.parameter.kind != vm::ParameterKind::Tensor &&
      field.parameter.kind != vm::ParameterKind::Opaque) {
    return field.text.trimmed();
  }
  switch (field.source) {
    case InputSource::Random:
      return QStringLiteral("random:%1").arg(field.seed);
    case InputSource::RandomRange:
      return QStringLiteral("random:%1:%2:%3").arg(field.seed).arg(field.low.trimmed(), field.high.trimmed());
    case InputSource::Zeros:
      return QStringLiteral("zeros");
    case InputSource::Ones:
      return QStringLiteral("ones");
    case InputSource::Range:
      return QStringLiteral("range");
    case InputSource::Constant:
      return QLatin1String("const:") + field.constant.trimmed();
    case InputSource::File:
      if (field.key.isEmpty()) return QLatin1Char('@') + field.file;
      return QLatin1Char('@') + field.file + QLatin1Char(':') + field.key;
  }
  return {};
}

QString shortType(const vm::Parameter& parameter) {
  QString text = QString::fromStdString(vm::describeParameter(parameter));
  static const std::array<std::pair<QRegularExpression, QString>, 4> shorter = {{
      {QRegularExpression(QStringLiteral("\\bfloat(\\d+)")), QStringLiteral("f\\1")},
      {QRegularExpression(QStringLiteral("\\buint(\\d+)")), QStringLiteral("u\\1")},
      {QRegularExpression(QStringLiteral("\\bint(\\d+)")), QStringLiteral("i\\1")},
      {QRegularExpression(QStringLiteral("\\bbfloat(\\d+)")), QStringLiteral("bf\\1")},
  }};
  for (const auto& [expression, replacement] : shorter) text.replace(expression, replacement);
  return text;
}

void InputForm::setFunction(const session::FunctionInfo& function) {
  m_function = function;
  m_given = {};
  m_fields.clear();
  m_dimensions.clear();
  for (const std::string& name : function.signature.freeDimensions) {
    m_dimensions.push_back({QString::fromStdString(name), 1, 0, {}, {}});
  }
  for (const vm::Parameter& parameter : function.signature.parameters) {
    const QString name = QString::fromStdString(parameter.name);
    countUses(parameter, name, m_dimensions);
    addFields(name, parameter);
  }
  check();
  Q_EMIT rebuilt();
}

void InputForm::clear() {
  setFunction({});
}

void InputForm::addFields(const QString& name, const vm::Parameter& parameter) {
  if (parameter.kind == vm::ParameterKind::Tuple) {
    for (std::size_t i = 0; i < parameter.members.size(); ++i) {
      addFields(QStringLiteral("%1/%2").arg(name).arg(i), parameter.members[i]);
    }
    return;
  }
  InputField field;
  field.name = name;
  field.parameter = parameter;
  m_fields.push_back(field);
}

void InputForm::setDimension(int index, qint64 value) {
  m_dimensions[std::size_t(index)].value = value;
  check();
  Q_EMIT changed();
}

void InputForm::setSource(int index, InputSource source) {
  m_fields[std::size_t(index)].source = source;
  check();
  Q_EMIT changed();
}

void InputForm::setSeed(int index, quint64 seed) {
  m_fields[std::size_t(index)].seed = seed;
  check();
  Q_EMIT changed();
}

void InputForm::setRange(int index, const QString& low, const QString& high) {
  m_fields[std::size_t(index)].low = low;
  m_fields[std::size_t(index)].high = high;
  check();
  Q_EMIT changed();
}

void InputForm::setConstant(int index, const QString& constant) {
  m_fields[std::size_t(index)].constant = constant;
  check();
  Q_EMIT changed();
}

void InputForm::setFile(int index, const QString& file, const QString& key) {
  InputField& field = m_fields[std::size_t(index)];
  const bool another = field.file != file;
  field.file = file;
  field.key = key;
  if (another) chooseKeys(file);
  check();
  Q_EMIT changed();
}

void InputForm::setText(int index, const QString& text) {
  m_fields[std::size_t(index)].text = text;
  check();
  Q_EMIT changed();
}

void InputForm::reset() {
  const session::FunctionInfo function = m_function;
  setFunction(function);
  Q_EMIT changed();
}

session::InputPlan InputForm::plan() const {
  session::InputPlan plan = m_given;
  for (const DimensionField& field : m_dimensions) plan.dimensions[field.name.toStdString()] = field.value;
  for (const InputField& field : m_fields) {
    const QString value = valueWords(field);
    // With an arrays file a field that was not touched is taken from there.
    const bool untouched = field.source == InputSource::Random && field.seed == 0;
    if (value.isEmpty() || (untouched && !m_given.arraysFile.empty())) continue;
    if (m_given.values.count(field.name.toStdString()) != 0) continue;
    plan.values[field.name.toStdString()] = value.toStdString();
  }
  return plan;
}

qint64 InputForm::dimensionValue(const std::string& name) const {
  for (const DimensionField& field : m_dimensions) {
    if (field.name.toStdString() == name) return field.value;
  }
  return -1;
}

QString InputForm::resolvedType(const vm::Parameter& parameter) const {
  if (parameter.kind != vm::ParameterKind::Tensor || !parameter.rankKnown) {
    return QString::fromStdString(vm::describeParameter(parameter));
  }
  QStringList sizes;
  for (const vm::Dimension& dimension : parameter.dimensions) {
    const qint64 value = dimension.isFree() ? dimensionValue(dimension.name) : dimension.value;
    sizes << (value >= 0 ? QString::number(value) : QString::fromStdString(dimension.name));
  }
  const QString type = parameter.typeKnown ? QString::fromStdString(vm::dataTypeName(parameter.type))
                                           : QStringLiteral("tensor");
  return type + QLatin1Char(' ') + joined(sizes);
}

double InputForm::resolvedBytes(const vm::Parameter& parameter) const {
  if (parameter.kind != vm::ParameterKind::Tensor || !parameter.rankKnown || !parameter.typeKnown) return 0;
  double elements = 1;
  for (const vm::Dimension& dimension : parameter.dimensions) {
    const qint64 value = dimension.isFree() ? dimensionValue(dimension.name) : dimension.value;
    if (value < 0) return 0;
    elements *= double(value);
  }
  return elements * std::max(8, int(parameter.type.bits) * int(parameter.type.lanes)) / 8;
}

QJsonObject InputForm::save() const {
  QJsonObject dimensions, values;
  for (const DimensionField& field : m_dimensions) dimensions.insert(field.name, field.value);
  for (const InputField& field : m_fields) {
    QJsonObject value;
    value.insert(QLatin1String("source"), QLatin1String(kSourceWords[std::size_t(field.source)]));
    value.insert(QLatin1String("seed"), QString::number(field.seed));
    value.insert(QLatin1String("low"), field.low);
    value.insert(QLatin1String("high"), field.high);
    value.insert(QLatin1String("constant"), field.constant);
    value.insert(QLatin1String("file"), field.file);
    value.insert(QLatin1String("key"), field.key);
    value.insert(QLatin1String("text"), field.text);
    values.insert(field.name, value);
  }
  return {{QLatin1String("dimensions"), dimensions}, {QLatin1String("values"), values}};
}

void InputForm::restore(const QJsonObject& saved) {
  const QJsonObject dimensions = saved.value(QLatin1String("dimensions")).toObject();
  const QJsonObject values = saved.value(QLatin1String("values")).toObject();
  for (DimensionField& field : m_dimensions) {
    const qint64 value = dimensions.value(field.name).toInteger(field.value);
    if (value >= 1) field.value = value;
  }
  for (InputField& field : m_fields) {
    if (!values.contains(field.name)) continue;
    const QJsonObject value = values.value(field.name).toObject();
    const QString source = value.value(QLatin1String("source")).toString();
    for (std::size_t i = 0; i < kSourceWords.size(); ++i) {
      if (source == QLatin1String(kSourceWords[i])) field.source = InputSource(i);
    }
    field.seed = value.value(QLatin1String("seed")).toString().toULongLong();
    field.low = value.value(QLatin1String("low")).toString(field.low);
    field.high = value.value(QLatin1String("high")).toString(field.high);
    field.constant = value.value(QLatin1String("constant")).toString(field.constant);
    field.file = value.value(QLatin1String("file")).toString();
    field.key = value.value(QLatin1String("key")).toString();
    field.text = value.value(QLatin1String("text")).toString();
  }
  check();
  Q_EMIT rebuilt();
  Q_EMIT changed();
}

}  // namespace opscope::ui
