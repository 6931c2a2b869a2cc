// SPDX-License-Identifier: Apache-2.0
#include "engine/report/traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/report/quantity_words.h"

namespace opscope::report {

namespace {

/// By their numbers.
constexpr std::array<std::string_view, kTrafficKinds> kKinds = {"open",      "call", "upload", "copy to",
                                                                "copy from", "sync", "system", "free"};
constexpr std::array<std::string_view, kTrafficPhases> kPhases = {"opening", "loading", "inputs", "warm-up",
                                                                  "bare",    "repeat",  "records"};

template <class Kind, std::size_t count>
std::optional<Kind> named(const std::array<std::string_view, count>& names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? std::nullopt : std::optional(Kind(found - names.begin()));
}

}  // namespace

std::string_view trafficKindName(TrafficKind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

std::optional<TrafficKind> trafficKindOf(std::string_view name) {
  return named<TrafficKind>(kKinds, name);
}

std::string_view trafficPhaseName(TrafficPhase phase) {
  return kPhases[static_cast<std::size_t>(phase)];
}

std::optional<TrafficPhase> trafficPhaseOf(std::string_view name) {
  return named<TrafficPhase>(kPhases, name);
}

bool isTransfer(TrafficKind kind, TrafficPhase phase) {
  return kind == TrafficKind::Upload || kind == TrafficKind::CopyTo || kind == TrafficKind::CopyFrom ||
         (kind == TrafficKind::Call && phase == TrafficPhase::Records);
}

std::string trafficBytes(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  constexpr double kStep = 1024;
  if (bytes < 1024) return fmt::format("{} {}", bytes, bytes == 1 ? "byte" : "bytes");
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= kStep && unit + 1 < kUnits.size(); ++unit) value /= kStep;
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string trafficLabel(const TrafficTrack& track, const TrafficEvent& event) {
  const std::string_view name =
      event.name < track.names.size() ? std::string_view(track.names[event.name]) : std::string_view();
  switch (event.kind) {
    case TrafficKind::Open:
      return std::string(name);
    case TrafficKind::Call:
      return fmt::format("call {}", name);
    case TrafficKind::Upload:
      return fmt::format("upload {}", trafficBytes(event.bytesOut));
    case TrafficKind::CopyTo:
      return fmt::format("copy to board {}", trafficBytes(event.bytesOut));
    case TrafficKind::CopyFrom:
      return fmt::format("copy from board {}", trafficBytes(event.bytesIn));
    case TrafficKind::Sync:
      return "wait for device";
    case TrafficKind::System:
      return std::string(name);
    case TrafficKind::Free:
      return event.requests == 1 ? "free an object" : fmt::format("free {} objects", event.requests);
  }
  return std::string(name);
}

std::string trafficWords(const TrafficTrack& track) {
  std::string words = fmt::format("{} out, {} in", trafficBytes(track.bytesOut), trafficBytes(track.bytesIn));
  if (track.wallNs > 0) {
    constexpr double kHundred = 100;
    words += fmt::format(", {} of {} in transfers",
                         partWords(std::clamp(track.transferNs / track.wallNs, 0.0, 1.0) * kHundred),
                         durationWords(track.wallNs));
  }
  if (track.notKept > 0) {
    words +=
        fmt::format("; {} more request{} not kept one by one", track.notKept, track.notKept == 1 ? "" : "s");
  }
  return words;
}

}  // namespace opscope::report
