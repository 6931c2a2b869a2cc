// SPDX-License-Identifier: Apache-2.0
#include "engine/report/remote_words.h"

#include <fmt/format.h>

namespace opscope::report {

std::string whyNotRecorded(const Run& run) {
  constexpr std::string_view kRecorder = "recorder";  // our own server's way
  if (!run.remote || run.remote->way == kRecorder) return "";
  return fmt::format("A board with TVM's server does not tell this: {}", kOurServerTells);
}

}  // namespace opscope::report
