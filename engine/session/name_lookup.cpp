// SPDX-License-Identifier: Apache-2.0
#include "engine/session/name_lookup.h"

#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <memory>

namespace opscope::session {

base::Result<std::vector<std::string>> lookUp(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* first = nullptr;
  if (const int code = getaddrinfo(host.c_str(), nullptr, &hints, &first); code != 0) {
    return base::Error{base::ErrorCode::NotFound, fmt::format("No computer is called \"{}\".", host),
                       fmt::format("The resolver says: {}.", gai_strerror(code)),
                       "Look at the spelling, or give its address."};
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> list(first, freeaddrinfo);
  std::vector<std::string> addresses;
  for (const addrinfo* entry = list.get(); entry != nullptr; entry = entry->ai_next) {
    char text[NI_MAXHOST];
    if (getnameinfo(entry->ai_addr, entry->ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST) == 0 &&
        std::ranges::find(addresses, text) == addresses.end()) {
      addresses.emplace_back(text);
    }
  }
  return addresses;
}

}  // namespace opscope::session
