// SPDX-License-Identifier: GPL-3.0-or-later
// Ops as keys of hashed containers. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ui/models/selection.h"

namespace opscope::ui {

struct OpHash {
  std::size_t operator()(const OpId& op) const {
    std::uint64_t hash = op.name;
    hash = hash * 0x9E3779B97F4A7C15ull + op.shapes;
    hash = hash * 0x9E3779B97F4A7C15ull + op.device;
    return std::size_t(hash ^ (hash >> 29));
  }
};

}  // namespace opscope::ui
