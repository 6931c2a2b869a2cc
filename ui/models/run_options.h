// SPDX-License-Identifier: GPL-3.0-or-later
// How an executable runs beside its inputs: threads, memory, plugins, and what is measured besides times.
// Plain values; any thread.
#pragma once

#include <QJsonObject>
#include <QStringList>
#include <string>
#include <vector>

#include "ui/bridge/session_types.h"

namespace opscope::ui {

inline constexpr int kMostThreads = 1024;
inline constexpr int kUsualSpinUs = 300;
inline constexpr int kMostSpinUs = 10'000'000;
inline constexpr int kUsualTimeoutSeconds = 600;
inline constexpr int kMostTimeoutSeconds = 86'400;

struct RunOptions {
  int threads = 0;            ///< 0: as the engine has it, TVM_NUM_THREADS, else physical cores
  QStringList plugins;        ///< libraries of registered functions, in the order in which they are loaded
  bool pin = true;            ///< bind each thread to a core
  int spinUs = kUsualSpinUs;  ///< how long an idle thread spins before it sleeps
  runtime::AllocatorKind allocator = runtime::AllocatorKind::Pooled;
  profile::OverheadCheck overhead = profile::OverheadCheck::Auto;
  QStringList counters;    ///< names of events that are counted by op
  int timeoutSeconds = 0;  ///< longest wait for one answer of a board; 0: kUsualTimeoutSeconds

  bool operator==(const RunOptions&) const = default;
  QJsonObject save() const;
  /// Of what save() gave; what is not understood stays as usual.
  static RunOptions fromSaved(const QJsonObject& saved);
  /// All but what only a profile has.
  void applyTo(session::RunSettings& settings) const;
  void applyTo(session::ProfileRequest& request) const;
  /// {"--threads", "2", "--plugin", "ops.so"} for the command line: what changes what runs.
  std::vector<std::string> commandLineWords() const;
  /// {"--overhead", "off", "--counters", "cycles"}: what is measured of it.
  std::vector<std::string> measuringWords() const;

  /// TVM's own servers can be told less than ours: without what they cannot, and its names.
  RunOptions forTvmServer() const;
  QStringList notForTvmServer() const;
};

/// "auto", "off", "full", as --overhead.
QString overheadWord(profile::OverheadCheck check);
/// "cycles, instructions" in parts, without blanks and doubles.
QStringList counterNames(const QString& text);

}  // namespace opscope::ui
