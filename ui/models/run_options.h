// SPDX-License-Identifier: GPL-3.0-or-later
// How an executable runs beside its inputs: kernel threads and plugins. Plain values; any thread.
#pragma once

#include <QJsonObject>
#include <QStringList>
#include <string>
#include <vector>

#include "ui/bridge/session_types.h"

namespace opscope::ui {

inline constexpr int kMostThreads = 1024;

struct RunOptions {
  int threads = 0;      ///< 0: as the engine has it, TVM_NUM_THREADS, else physical cores
  QStringList plugins;  ///< libraries of registered functions, in the order in which they are loaded

  bool operator==(const RunOptions&) const = default;
  QJsonObject save() const;
  /// Of what save() gave; what is not understood stays as usual.
  static RunOptions fromSaved(const QJsonObject& saved);
  void applyTo(session::RunSettings& settings) const;
  /// {"--threads", "2", "--plugin", "ops.so"} for the command line.
  std::vector<std::string> commandLineWords() const;
};

}  // namespace opscope::ui
