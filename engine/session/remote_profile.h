// SPDX-License-Identifier: Apache-2.0
// A profile on a board, in the best of the ways that its server has. On the worker.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/profile/profiler.h"
#include "engine/session/remote_program.h"

namespace opscope::session {

struct RemoteProfile {
  RemoteBoard& board;
  const OpenedExecutable& file;
  const CallSequence& sequence;
  const ProfileRequest& request;
  std::function<bool()> stopRequested;
  /// As profile::ProfileCallbacks::progress.
  std::function<void(profile::Stage, std::uint32_t done, double elapsedNs)> progress;
  rpc::Progress uploading;
  /// Repeats whose records came over; may be empty. Not called by ways that have a repeat when it is done.
  std::function<void(std::uint32_t repeats)> received = {};
  /// As profile::ProfileCallbacks::measured; may be empty. Not called by ways that have times at the end
  /// only.
  std::function<void(report::RepeatTimes)> measured = {};

  /// "Stopped.", where it was asked for.
  base::Result<> checkStop() const;
  void tell(profile::Stage stage, std::uint32_t done, std::int64_t stageBeginNs) const;
};

/// Profiles; Run::remote says in which way. What was measured before an error, also before the connection was
/// lost, stands beside it.
profile::Measurement profileOnBoard(const RemoteProfile& profile);

/// The ways. Each fills all of the run but path, hash, function, inputs and the board's facts.
/// On our own server: as here.
profile::Measurement recordInFull(const RemoteProfile& profile, RemoteProgram& program);
/// With our library as the instrument of TVM's machine, from 0.25 on. MissingFunction and Unsupported when it
/// cannot run there.
profile::Measurement recordByProbe(const RemoteProfile& profile, RemoteProgram& program);
/// By the profiler of TVM 0.21's machine.
profile::Measurement recordByTvmProfiler(const RemoteProfile& profile);
/// Each kernel on its own, by the server's time evaluator.
profile::Measurement recordByKernels(const RemoteProfile& profile, RemoteProgram& program);

// What the ways that build a run here have in common.

/// A run with what is known before its calls are: when it began, what was asked for, why it ended early.
report::Run beginRun(const RemoteProfile& profile, const std::string& startedAt,
                     const std::optional<base::Error>& error);
/// Once calls and repeats are there: the report's configuration, and what the samples warn of.
void finishRun(report::Run& run);
/// Where `text` stands in a list that holds each text once.
std::uint32_t indexIn(std::vector<std::string>& texts, const std::string& text);

}  // namespace opscope::session
