// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/address.h"

#include <gtest/gtest.h>

namespace opscope::rpc {

TEST(Address, NamesAndAddresses) {
  for (const auto& [text, host, port] :
       {std::tuple{"board-7.lab:9090", "board-7.lab", "9090"}, std::tuple{"10.0.0.7:1", "10.0.0.7", "1"},
        std::tuple{"[fe80::1]:65535", "fe80::1", "65535"}}) {
    const auto address = parseAddress(text);
    ASSERT_TRUE(address) << address.error().message;
    EXPECT_EQ(address->host, host);
    EXPECT_EQ(address->port, port);
    EXPECT_EQ(addressText(address->host, address->port), text);
  }
}

TEST(Address, WhatIsNone) {
  for (const auto& [text, says] :
       {std::pair{"", "has no port"}, std::pair{"board", "has no port"}, std::pair{"[::1]", "has no port"},
        std::pair{"[::1", "has no port"}, std::pair{":9090", "has no host"},
        std::pair{"[]:9090", "has no host"}, std::pair{"[::1]9:9090", "has no host"},
        std::pair{"::1:9090", "more than one colon"}, std::pair{"board:", "is no port"},
        std::pair{"board:0", "is no port"}, std::pair{"board:65536", "is no port"},
        std::pair{"board:9a", "is no port"}, std::pair{"board:-1", "is no port"},
        std::pair{"board: 9", "is no port"}}) {
    const auto address = parseAddress(text);
    ASSERT_FALSE(address) << text;
    EXPECT_EQ(address.error().code, base::ErrorCode::InvalidArgument);
    EXPECT_NE(address.error().message.find(says), std::string::npos) << address.error().message;
  }
}

}  // namespace opscope::rpc
