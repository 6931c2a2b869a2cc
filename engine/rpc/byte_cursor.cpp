// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/byte_cursor.h"

#include <fmt/format.h>

namespace opscope::rpc {

base::Result<> ByteCursor::expectEnd() const {
  if (left() == 0) {
    return {};
  }
  return base::Error{
      base::ErrorCode::Format,
      fmt::format("a frame has {} bytes more than it should, from byte {} on", left(), m_position),
      {},
      "what answers there speaks another protocol: check the address and the version of its TVM"};
}

base::Error ByteCursor::tooShort(std::string_view what, std::uint64_t size) const {
  return {base::ErrorCode::Format,
          fmt::format("a frame ends inside of {} at byte {}: {} bytes are due, {} are left", what, m_position,
                      size, left()),
          {},
          "what answers there speaks another protocol: check the address and the version of its TVM"};
}

}  // namespace opscope::rpc
