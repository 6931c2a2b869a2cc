// SPDX-License-Identifier: Apache-2.0
// The probe libraries that this program carries, one an architecture. Any thread; the bytes are the
// program's own. Written out by engine/probe's build.
#pragma once

#include <string_view>
#include <vector>

namespace opscope::session {

struct ProbeBytes {
  std::string_view architecture;  ///< as runtime::ElfImage spells it: "x86-64", "aarch64"
  std::string_view library;       ///< of the shared library
};

/// At least the one for this program's own architecture.
const std::vector<ProbeBytes>& probeBytes();

}  // namespace opscope::session
