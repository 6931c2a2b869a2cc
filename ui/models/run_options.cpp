// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_options.h"

#include <QJsonArray>
#include <algorithm>

namespace opscope::ui {

QJsonObject RunOptions::save() const {
  return {{QLatin1String("threads"), threads},
          {QLatin1String("plugins"), QJsonArray::fromStringList(plugins)}};
}

RunOptions RunOptions::fromSaved(const QJsonObject& saved) {
  RunOptions options;
  options.threads = std::clamp(saved.value(QLatin1String("threads")).toInt(), 0, kMostThreads);
  for (const QJsonValue& plugin : saved.value(QLatin1String("plugins")).toArray()) {
    if (!plugin.toString().isEmpty()) options.plugins << plugin.toString();
  }
  return options;
}

void RunOptions::applyTo(session::RunSettings& settings) const {
  settings.runtime.threads = threads;
  settings.plugins.clear();
  for (const QString& plugin : plugins) settings.plugins.push_back(plugin.toStdString());
}

std::vector<std::string> RunOptions::commandLineWords() const {
  std::vector<std::string> words;
  if (threads > 0) words.insert(words.end(), {"--threads", std::to_string(threads)});
  for (const QString& plugin : plugins) words.insert(words.end(), {"--plugin", plugin.toStdString()});
  return words;
}

}  // namespace opscope::ui
