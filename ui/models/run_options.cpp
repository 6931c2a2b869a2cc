// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_options.h"

#include <QJsonArray>
#include <algorithm>

namespace opscope::ui {
namespace {

using profile::OverheadCheck;
using runtime::AllocatorKind;

const QString kNaive = QStringLiteral("naive");

QStringList textsOf(const QJsonValue& value) {
  QStringList texts;
  for (const QJsonValue& text : value.toArray()) {
    if (!text.toString().isEmpty()) texts << text.toString();
  }
  return texts;
}

}  // namespace

QString overheadWord(OverheadCheck check) {
  switch (check) {
    case OverheadCheck::Off:
      return QStringLiteral("off");
    case OverheadCheck::Full:
      return QStringLiteral("full");
    case OverheadCheck::Auto:
      break;
  }
  return QStringLiteral("auto");
}

QStringList counterNames(const QString& text) {
  QStringList names;
  for (const QString& part : text.split(QLatin1Char(','))) {
    if (!part.trimmed().isEmpty()) names << part.trimmed();
  }
  names.removeDuplicates();
  return names;
}

QJsonObject RunOptions::save() const {
  return {
      {QStringLiteral("threads"), threads},
      {QStringLiteral("plugins"), QJsonArray::fromStringList(plugins)},
      {QStringLiteral("pin"), pin},
      {QStringLiteral("spinUs"), spinUs},
      {QStringLiteral("allocator"), allocator == AllocatorKind::Naive ? kNaive : QStringLiteral("pooled")},
      {QStringLiteral("overhead"), overheadWord(overhead)},
      {QStringLiteral("counters"), QJsonArray::fromStringList(counters)},
      {QStringLiteral("timeoutSeconds"), timeoutSeconds}};
}

RunOptions RunOptions::fromSaved(const QJsonObject& saved) {
  RunOptions options;
  options.threads = std::clamp(saved[QLatin1String("threads")].toInt(), 0, kMostThreads);
  options.plugins = textsOf(saved[QLatin1String("plugins")]);
  options.pin = saved[QLatin1String("pin")].toBool(true);
  options.spinUs = std::clamp(saved[QLatin1String("spinUs")].toInt(kUsualSpinUs), 0, kMostSpinUs);
  if (saved[QLatin1String("allocator")].toString() == kNaive) options.allocator = AllocatorKind::Naive;
  const QString overhead = saved[QLatin1String("overhead")].toString();
  for (const OverheadCheck check : {OverheadCheck::Off, OverheadCheck::Full}) {
    if (overhead == overheadWord(check)) options.overhead = check;
  }
  options.counters = textsOf(saved[QLatin1String("counters")]);
  options.timeoutSeconds = std::clamp(saved[QLatin1String("timeoutSeconds")].toInt(), 0, kMostTimeoutSeconds);
  return options;
}

void RunOptions::applyTo(session::RunSettings& settings) const {
  settings.runtime.threads = threads;
  settings.runtime.pin = pin;
  settings.runtime.spinUs = spinUs;
  settings.runtime.allocator = allocator;
  settings.timeoutSeconds = timeoutSeconds;
  settings.plugins.clear();
  for (const QString& plugin : plugins) settings.plugins.push_back(plugin.toStdString());
}

void RunOptions::applyTo(session::ProfileRequest& request) const {
  request.overhead = overhead;
  request.collectors.clear();
  if (!counters.isEmpty())
    request.collectors.push_back(session::counterCollector(counters.join(QLatin1Char(',')).toStdString()));
}

std::vector<std::string> RunOptions::commandLineWords() const {
  std::vector<std::string> words;
  const auto add = [&words](const char* name, const QString& value) {
    words.insert(words.end(), {name, value.toStdString()});
  };
  if (threads > 0) add("--threads", QString::number(threads));
  if (!pin) add("--pin", QStringLiteral("off"));
  if (spinUs != kUsualSpinUs) add("--spin-us", QString::number(spinUs));
  if (allocator == AllocatorKind::Naive) add("--allocator", kNaive);
  for (const QString& plugin : plugins) add("--plugin", plugin);
  return words;
}

std::vector<std::string> RunOptions::measuringWords() const {
  std::vector<std::string> words;
  if (overhead != OverheadCheck::Auto)
    words.insert(words.end(), {"--overhead", overheadWord(overhead).toStdString()});
  if (!counters.isEmpty())
    words.insert(words.end(), {"--counters", counters.join(QLatin1Char(',')).toStdString()});
  return words;
}

RunOptions RunOptions::forTvmServer() const {
  RunOptions options = *this;
  options.pin = true;
  options.spinUs = kUsualSpinUs;
  options.counters.clear();
  return options;
}

QStringList RunOptions::notForTvmServer() const {
  QStringList names;
  if (!pin) names << QStringLiteral("binding of threads");
  if (spinUs != kUsualSpinUs) names << QStringLiteral("spin time");
  if (!counters.isEmpty()) names << QStringLiteral("counters");
  return names;
}

}  // namespace opscope::ui
