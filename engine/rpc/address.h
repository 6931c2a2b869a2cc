// SPDX-License-Identifier: Apache-2.0
// Where a server or a tracker listens, as people write it: "HOST:PORT", "[IPv6 ADDRESS]:PORT". Any thread;
// pure functions.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace opscope::rpc {

struct Address {
  std::string host;  ///< a name, an IPv4 address, or an IPv6 address without brackets
  std::string port;  ///< "1" to "65535"
};

/// Takes the text apart. Errors: InvalidArgument saying what is missing or too much; the detail is left to
/// those who know what may stand around an address.
base::Result<Address> parseAddress(std::string_view text);

/// Whether it is a number from 1 to 65535.
bool isPort(std::string_view text);

/// The way back, with brackets around an IPv6 address.
std::string addressText(const std::string& host, const std::string& port);

}  // namespace opscope::rpc
