// SPDX-License-Identifier: Apache-2.0
// What a session can be asked to do. Plain serialisable values; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/profile/overhead_check.h"
#include "engine/profile/time_settings.h"
#include "engine/runtime/options.h"

namespace opscope::session {

/// Numbers requests of one session; events carry the number of the request that they belong to.
using RequestId = std::uint64_t;

/// Values for the parameters of a function, in the command line's words (INPUTS).
struct InputPlan {
  std::map<std::string, std::string> values;  ///< parameter name or position to "random:0", "@FILE.npy", ...
  std::map<std::string, std::int64_t> dimensions;  ///< free dimension to size
  std::string arraysFile;                          ///< --inputs FILE.npz, may be empty
};

/// What to call: a function with inputs, or a scenario file.
struct CallPlan {
  std::string function;  ///< empty: the default function
  InputPlan inputs;
  std::string scenarioFile;  ///< when set, function and values are not used
};

struct RunSettings {
  std::string target = "local";  ///< see targets.h
  double timeoutSeconds = 0;     ///< for a call on a board, and for a free board; 0: ten minutes
  std::string secretFile;        ///< what is shared with our server; may be empty
  std::string device;            ///< "cpu:0"; empty: the first that the executable needs
  runtime::RuntimeOptions runtime;
  std::vector<std::string> plugins;  ///< libraries of registered functions, loaded before the executable
};

struct OpenRequest {
  std::string path;
};

struct RunRequest {
  std::string path;  ///< of the executable; opened first when the session has another one open
  CallPlan plan;
  RunSettings settings;
  std::string outputsFile;                                ///< OUT.npz, may be empty
  bool returnsArchive = false;                            ///< the same bytes come with the answer
  std::string dumpFile;                                   ///< OUT.npz for every call's tensors, may be empty
  std::uint64_t dumpLimitBytes = std::uint64_t{8} << 30;  ///< of tensors; calls beyond it are not dumped
  bool checkFinite = false;                               ///< ends at the first call that gives NaN or Inf
};

struct ProfileRequest {
  std::string path;
  CallPlan plan;
  RunSettings settings;
  std::uint32_t warmup = 1;
  std::uint32_t repeats = 1;
  profile::OverheadCheck overhead = profile::OverheadCheck::Auto;
  bool recordMemory = false;                 ///< when, by whom and how long memory was taken: Run::memory
  bool recordLanes = false;                  ///< which thread worked at which parallel part, when: Run::lanes
  std::vector<std::string> collectors = {};  ///< metric collectors, "ID" or "ID:OPTIONS": Run::counters
  bool tellsRepeats = false;                 ///< what repeats took comes between them: RepeatsMeasured
};

/// The time of all calls of the plan together, without looking at any of them.
struct TimeRequest {
  std::string path;
  CallPlan plan;
  RunSettings settings;
  profile::TimeSettings timing;
};

/// The same calls, with the same inputs, on two executables.
struct DivergeRequest {
  std::string pathA;  ///< the reference
  std::string pathB;
  CallPlan plan;  ///< for both
  RunSettings settings;
  std::string targetA = {};  ///< where A runs; empty: the target of `settings`
  std::string targetB = {};
  std::optional<std::string> secretFileB = {};  ///< of the server where B runs; nothing: that of `settings`
  double rtol = 1e-5;                           ///< values agree when |b - a| <= atol + rtol * |a|
  double atol = 1e-5;
};

/// One profile a value of a free dimension or of the number of threads.
struct SweepRequest {
  ProfileRequest profile;
  std::string over;  ///< name of a free dimension, or kSweepThreads
  std::vector<std::int64_t> values;
};

/// What SweepRequest::over is for the number of threads.
inline constexpr std::string_view kSweepThreads = "threads";

}  // namespace opscope::session
