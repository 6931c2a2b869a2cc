// SPDX-License-Identifier: Apache-2.0
// A system that lets no page be changed, as hardened ones do.
#pragma once

#include "engine/code/page_access.h"

namespace opscope::profile::test {

class RefusingPages final : public code::PageAccess {
 public:
  bool set(std::uintptr_t /*begin*/, std::size_t /*bytes*/, int /*protection*/) override {
    ++asked;
    return false;
  }
  int asked = 0;
};

}  // namespace opscope::profile::test
