// SPDX-License-Identifier: Apache-2.0
// The kinds of metric collectors that this build has: a visible list, one row a kind. Any thread; constant
// data.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "engine/profile/metric_collector.h"

namespace opscope::profile {

struct CollectorKind {
  std::string_view id;           ///< as a user names it: "process"
  std::string_view title;        ///< "CPU time and page faults"
  std::string_view description;  ///< one sentence: what it needs and tells
  /// `options` is what stands after "ID:", may be empty. Errors: InvalidArgument, Unsupported.
  base::Result<std::unique_ptr<MetricCollector>> (*make)(std::string_view options) = nullptr;
};

std::span<const CollectorKind> collectorKinds();

/// Makes a collector from "ID" or "ID:OPTIONS". Errors: InvalidArgument naming the kinds there are; its own.
base::Result<std::unique_ptr<MetricCollector>> makeCollector(std::string_view text);

}  // namespace opscope::profile
