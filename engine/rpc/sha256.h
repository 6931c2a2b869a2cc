// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4) and HMAC over it (RFC 2104), for the shared secret of client and server. Any thread;
// pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace opscope::rpc {

using Sha256Digest = std::array<std::uint8_t, 32>;

Sha256Digest sha256(std::string_view message);
Sha256Digest hmacSha256(std::string_view key, std::string_view message);

}  // namespace opscope::rpc
