// SPDX-License-Identifier: GPL-3.0-or-later
// Made-up runs for tests and pictures, shaped like a real one: a convolution network with 57 groups of ops in
// 216 calls. The same seed gives the same numbers.
#pragma once

#include "engine/report/run.h"
#include "ui/bridge/session_types.h"

namespace opscope::ui::testing {

struct SyntheticOptions {
  std::uint32_t repeats = 30;
  std::uint32_t repeatsWanted = 30;
  std::uint32_t groups = 57;
  std::uint32_t calls = 216;
  bool longNames = false;
};

report::Document syntheticDocument(const SyntheticOptions& options = {});

/// An executable with one function that has a free dimension, and the kernels of the run above.
std::shared_ptr<const session::ExecutableInfo> syntheticExecutable();

}  // namespace opscope::ui::testing
