// SPDX-License-Identifier: Apache-2.0
// The probe for this computer, loaded as a board's server loads it.
#pragma once

#include <tvm/ffi/extra/module.h>

#include <string>
#include <string_view>

#include "engine/session/probe_bytes.h"
#include "engine/session/probe_records.h"

namespace opscope::session::test {

/// Throws std::runtime_error when this program carries none.
const ProbeBytes& probeFor(std::string_view architecture);

/// The probe as a module, from a file that is gone again.
tvm::ffi::Module loadProbe();

struct Probed {
  std::string bytes;
  ProbeReport report;  ///< points into `bytes`
};

/// What the probe recorded. Fails the test when that cannot be read.
Probed reportOf(const tvm::ffi::Module& probe);

}  // namespace opscope::session::test
