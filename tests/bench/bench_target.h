// SPDX-License-Identifier: Apache-2.0
// One side of a comparison: an engine that loads an executable and calls its functions. Two programs are
// built from worker.cpp, one with Opscope's engine and one with TVM's runtime, because both register the same
// global names. Single-threaded.
#pragma once

#include <tvm/ffi/any.h>

#include <memory>
#include <string>
#include <vector>

namespace opscope::bench {

class Target {
 public:
  virtual ~Target() = default;
  /// Loads the executable and makes it ready. Throws std::runtime_error with the reason.
  virtual void load(const std::string& path, int threads) = 0;
  virtual tvm::ffi::Any call(const std::string& function, const std::vector<tvm::ffi::Any>& arguments) = 0;
  /// Starts or stops recording every call; returns false when this side has no recorder.
  virtual bool record(bool on) = 0;
  /// Calls recorded since recording was started.
  virtual std::size_t recordedCalls() const = 0;
  /// Forgets recorded calls, outside the timed part.
  virtual void clearRecords() = 0;
};

/// Made by the file of the side that is linked in.
std::unique_ptr<Target> makeTarget();

}  // namespace opscope::bench
