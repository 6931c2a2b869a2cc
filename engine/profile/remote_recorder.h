// SPDX-License-Identifier: Apache-2.0
// A full profile of a machine that is driven from outside, by a client on another computer: what our server
// registers beside TVM's functions. Threads as the machine's.
//
// opscope.record_begin(machine's module, settings as JSON) gives a module. Its functions:
//   repeat_begin()        0: all repeats are done, 1: warm-up, 2: recorded, 3: without the recorder
//   step(number, function, args...)  calls the function as a step of the repeat, gives its result
//   repeat_end(complete)  after false only end() may follow
//   since(first)          between repeats: a samples document (report/samples_json.h), as bytes, with calls
//                         and times of the recorded repeats from number `first` on; none when there are none
//   snapshot()            between repeats: as end(), and it goes on
//   end(reason)           the samples document, as bytes; none when nothing was measured. `reason` says why
//                         it ends early: "" when it does not, "stopped", else an error's words
//
// Settings: {"warmup": 1, "repeats": 10, "steps": ["main"], "overhead": "auto"|"off"|"full", "memory": false,
// "lanes": false, "collectors": ["process"], "kernels": ["add"], "tvmVersion": "0.27.0"}; all may be left
// out. The machine stays as it is (vm_initialization raises) until the module is freed.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/profile/profiler.h"

namespace opscope::profile {

inline constexpr const char* kRecordBegin = "opscope.record_begin";
/// (shape, type, device, scope, which is not used) gives a tensor object, not initialised.
inline constexpr const char* kMakeTensor = "opscope.make_tensor";

/// What a client asks for.
struct RemoteSettings {
  std::uint32_t warmup = 1;
  std::uint32_t repeats = 1;
  std::vector<std::string> steps = {"main"};
  OverheadCheck overhead = OverheadCheck::Auto;
  bool recordMemory = false;
  bool recordLanes = false;
  std::vector<std::string> collectors;
  std::vector<std::string> kernels;  ///< names of the library's kernels, which the server does not list
  std::string tvmVersion;            ///< of the executable
};

std::string toJson(const RemoteSettings& settings);
/// Errors: InvalidArgument naming the member.
base::Result<RemoteSettings> remoteSettingsFromJson(std::string_view text);

/// Registers both in the ffi registry. Called by registerProfilerModule.
void registerRemoteRecorder();

}  // namespace opscope::profile
