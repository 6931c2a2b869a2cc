// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/address.h"

#include <fmt/format.h>

#include <charconv>

namespace opscope::rpc {

namespace {

base::Error wrong(std::string message, std::string hint = {}) {
  return {base::ErrorCode::InvalidArgument, std::move(message), {}, std::move(hint)};
}

}  // namespace

base::Result<Address> parseAddress(std::string_view text) {
  const bool bracketed = text.starts_with('[');
  const std::size_t close = bracketed ? text.find(']') : 0;
  const std::size_t colon = close == std::string_view::npos ? close : text.find(':', close);
  if (colon == std::string_view::npos) {
    return wrong(fmt::format("\"{}\" has no port.", text));
  }
  if (!bracketed && text.find(':', colon + 1) != std::string_view::npos) {
    return wrong(fmt::format("\"{}\" has more than one colon.", text),
                 "Put an IPv6 address into brackets: [::1]:9090.");
  }
  Address address{std::string(bracketed ? text.substr(1, close - 1) : text.substr(0, colon)),
                  std::string(text.substr(colon + 1))};
  if (address.host.empty() || (bracketed && colon != close + 1)) {
    return wrong(fmt::format("\"{}\" has no host.", text));
  }
  if (!isPort(address.port)) {
    return wrong(fmt::format("\"{}\" is no port.", address.port), "Ports are numbers from 1 to 65535.");
  }
  return address;
}

bool isPort(std::string_view text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= 1 && number <= 65535;
}

std::string addressText(const std::string& host, const std::string& port) {
  const bool isIpv6 = host.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", isIpv6 ? "[" : "", host, isIpv6 ? "]" : "", port);
}

}  // namespace opscope::rpc
