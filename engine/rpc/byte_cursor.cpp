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
      "the peer speaks another protocol or version"};
}

base::Error ByteCursor::tooShort(std::string_view what, std::uint64_t size) const {
  return {base::ErrorCode::Format,
          fmt::format("a frame ends inside of {} at byte {}: {} bytes are due, {} are left", what, m_position,
                      size, left()),
          {},
          "the peer speaks another protocol or version"};
}

}  // namespace opscope::rpc
