// SPDX-License-Identifier: GPL-3.0-or-later
// InputForm: what is wrong with the fields, by the signature, by what their files hold, and by a run.
#include <algorithm>
#include <cmath>

#include "ui/models/input_form.h"

namespace opscope::ui {
namespace {

QString words(const base::Error& error) {
  QString text = QString::fromStdString(error.message);
  if (!error.detail.empty()) text += QLatin1Char('\n') + QString::fromStdString(error.detail);
  return text;
}

/// The words stand at the field, which shows the file: they need not repeat its name and the folders.
QString wordsOfField(const InputField& field, const base::Error& error) {
  QString text = words(error);
  for (const char* begin : {"Input %1: ", "Input %1 does not fit.\n"}) {
    const QString known = QString::fromLatin1(begin).arg(field.name);
    if (text.startsWith(known) && text.size() > known.size()) text.remove(0, known.size());
  }
  if (field.source != InputSource::File || field.file.isEmpty()) return text;
  text.replace(QStringLiteral("The file %1 has").arg(field.file), QStringLiteral("The file has"));
  return text.replace(field.file, field.file.section(QLatin1Char('/'), -1));
}

}  // namespace

void InputForm::setArrayFiles(ArrayFiles* files) {
  m_files = files;
  connect(files, &ArrayFiles::listed, this, [this](const QString& file) {
    chooseKeys(file);
    check();
    Q_EMIT changed();
  });
}

const session::ArrayListing* InputForm::listingOf(const InputField& field) const {
  return m_files == nullptr || field.source != InputSource::File ? nullptr : m_files->find(field.file);
}

void InputForm::readFilesAgain() {
  if (m_files != nullptr) m_files->readAgain();
}

void InputForm::chooseKeys(const QString& file) {
  for (InputField& field : m_fields) {
    const session::ArrayListing* listing = field.file == file ? listingOf(field) : nullptr;
    if (listing == nullptr || listing->problem) continue;
    if (!listing->isArchive) field.key.clear();
    if (!listing->isArchive || !field.key.isEmpty()) continue;
    const auto& arrays = listing->arrays;
    const bool named = std::any_of(arrays.begin(), arrays.end(), [&](const session::ListedArray& array) {
      return array.key == field.name.toStdString();
    });
    if (named) {
      field.key = field.name;
    } else if (arrays.size() == 1) {
      field.key = QString::fromStdString(arrays.front().key);
    }
  }
}

void InputForm::checkFiles() {
  QStringList files;
  for (const InputField& field : m_fields) {
    if (field.source == InputSource::File && !field.file.isEmpty()) files << field.file;
  }
  if (m_files != nullptr) m_files->want(files);
  for (InputField& field : m_fields) {
    if (field.source != InputSource::File) continue;
    const session::ArrayListing* listing = listingOf(field);
    if (field.file.isEmpty()) {
      field.problem = QStringLiteral("Choose a .npy or .npz file.");
    } else if (listing != nullptr && !listing->problem && listing->isArchive && field.key.isEmpty()) {
      field.problem =
          QStringLiteral("Choose one of the arrays in %1.").arg(field.file.section(QLatin1Char('/'), -1));
    }
  }
}

/// A range that cannot be, in the form's words; what the type can hold is told by the engine.
QString InputForm::rangeProblem(const InputField& field) {
  bool lowIs = false, highIs = false;
  const double low = field.low.trimmed().toDouble(&lowIs), high = field.high.trimmed().toDouble(&highIs);
  if (!lowIs || !std::isfinite(low))
    return QStringLiteral("“From” needs a number. It is “%1”.").arg(field.low);
  if (!highIs || !std::isfinite(high))
    return QStringLiteral("“To” needs a number. It is “%1”.").arg(field.high);
  if (low > high)
    return QStringLiteral("“From” (%1) is more than “to” (%2).")
        .arg(field.low.trimmed(), field.high.trimmed());
  return {};
}

void InputForm::check() {
  for (InputField& field : m_fields) {
    field.problem.clear();
    field.isFileProblem = false;
  }
  for (DimensionField& field : m_dimensions) field.problem.clear();
  if (m_function.name.empty()) {
    if (m_files != nullptr) m_files->want({});
    return;
  }
  static const session::ArrayListings none;
  for (const session::InputProblem& problem : session::checkInputPlan(
           plan(), m_function.signature, m_files != nullptr ? m_files->listings() : none)) {
    const QString name = QString::fromStdString(problem.name);
    for (InputField& field : m_fields) {
      if (field.name == name && field.problem.isEmpty()) field.problem = wordsOfField(field, problem.error);
    }
    for (DimensionField& field : m_dimensions) {
      if (field.name == name && field.problem.isEmpty()) field.problem = words(problem.error);
    }
  }
  for (InputField& field : m_fields) {
    if (field.source != InputSource::RandomRange) continue;
    const QString problem = rangeProblem(field);
    if (!problem.isEmpty()) field.problem = problem;
  }
  checkFiles();
}

bool InputForm::isValid() const {
  return problemCount() == 0;
}

bool InputForm::isWorthARun() const {
  const auto stands = [](const auto& field) { return !field.problem.isEmpty(); };
  return std::none_of(m_dimensions.begin(), m_dimensions.end(), stands) &&
         std::none_of(m_fields.begin(), m_fields.end(),
                      [&](const InputField& field) { return stands(field) && !field.isFileProblem; });
}

void InputForm::forgetFileProblems() {
  const bool any = std::any_of(m_fields.begin(), m_fields.end(),
                               [](const InputField& field) { return field.isFileProblem; });
  if (!any) return;
  check();
  Q_EMIT changed();
}

int InputForm::problemCount() const {
  const auto bad = [](const auto& field) { return !field.problem.isEmpty(); };
  return int(std::count_if(m_fields.begin(), m_fields.end(), bad) +
             std::count_if(m_dimensions.begin(), m_dimensions.end(), bad));
}

QString InputForm::firstProblem() const {
  for (const DimensionField& field : m_dimensions) {
    if (!field.problem.isEmpty()) return field.problem;
  }
  for (const InputField& field : m_fields) {
    if (field.problem.isEmpty()) continue;
    const QString begin = QStringLiteral("Input %1").arg(field.name);
    return field.problem.startsWith(begin, Qt::CaseInsensitive)
               ? field.problem
               : QStringLiteral("%1: %2").arg(begin, field.problem);
  }
  return {};
}

bool InputForm::markProblem(const QString& name, const base::Error& error) {
  const auto named = [&name](const auto& field) { return field.name == name; };
  const auto field = std::find_if(m_fields.begin(), m_fields.end(), named);
  const auto dimension = std::find_if(m_dimensions.begin(), m_dimensions.end(), named);
  if (name.isEmpty() || (field == m_fields.end() && dimension == m_dimensions.end())) return false;
  if (field != m_fields.end()) {
    field->problem = words(error);
    field->isFileProblem = field->source == InputSource::File || m_given.values.contains(name.toStdString());
  } else {
    dimension->problem = words(error);
  }
  Q_EMIT changed();
  return true;
}

}  // namespace opscope::ui
