// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/memory_need.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <string>

#include "engine/base/record.h"
#include "engine/report/run.h"
#include "engine/runtime/machine_memory.h"

namespace opscope::profile {

namespace {

/// The record itself, and what the run keeps of it while the records are still there.
constexpr std::uint64_t kBytesPerRecord =
    sizeof(base::CallRecord) + sizeof(report::Span) + 2 * sizeof(double) + sizeof(std::uint32_t);
/// Of what is available: the system and the run's own buffers need the rest.
constexpr int kUsablePercent = 90;
/// Marks and totals.
constexpr std::uint64_t kBytesPerRepeat = 128;

std::string gigabytes(long double bytes) {
  constexpr long double kGiB = 1024.0L * 1024 * 1024;
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes / kGiB));
}

}  // namespace

std::optional<std::uint64_t> availableBytes() {
  std::optional<std::uint64_t> bytes = runtime::machineMemory().availableBytes;
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    bytes = std::min<std::uint64_t>(bytes.value_or(limit.rlim_cur), limit.rlim_cur);
  }
  return bytes;
}

base::Result<> checkMemoryNeed(std::uint32_t repeats, std::uint64_t recordsPerRepeat,
                               std::optional<std::uint64_t> available) {
  const long double each = static_cast<long double>(recordsPerRepeat) * kBytesPerRecord +
                           static_cast<long double>(kBytesPerRepeat);
  if (!available) {
    return {};
  }
  const long double limit = static_cast<long double>(*available) / 100 * kUsablePercent;
  if (each * repeats <= limit) {
    return {};
  }
  const auto most = static_cast<std::uint64_t>(limit / each);
  return base::Error{
      base::ErrorCode::InvalidArgument, fmt::format("{} repeats do not fit into memory.", repeats),
      fmt::format(
          "Each makes {} records; together they need {}. Of the {} that are free {} % may be used: {}.",
          recordsPerRepeat, gigabytes(each * repeats), gigabytes(static_cast<long double>(*available)),
          kUsablePercent, gigabytes(limit)),
      most > 0 ? fmt::format("Up to {} repeats fit.", most)
               : std::string("Close other programs, or profile a part of the model.")};
}

}  // namespace opscope::profile
