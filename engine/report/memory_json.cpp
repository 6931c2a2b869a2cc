// SPDX-License-Identifier: Apache-2.0
#include "engine/report/memory_json.h"

#include <fmt/format.h>

#include "engine/report/json_columns.h"

namespace opscope::report {

namespace {

using base::Result;
using simdjson::dom::object;

/// The members that are one integer each.
struct Scalar {
  std::string_view key;
  std::uint64_t MemoryTrack::*count = nullptr;
  std::int64_t MemoryTrack::*bytes = nullptr;
};

constexpr Scalar kScalars[] = {
    {"taken", &MemoryTrack::taken, nullptr},
    {"reused", &MemoryTrack::reused, nullptr},
    {"freed", &MemoryTrack::freed, nullptr},
    {"tensorsMade", &MemoryTrack::tensorsMade, nullptr},
    {"takenBytes", nullptr, &MemoryTrack::takenBytes},
    {"tensorBytes", nullptr, &MemoryTrack::tensorBytes},
    {"peakGivenBytes", nullptr, &MemoryTrack::peakGivenBytes},
    {"peakTensorBytes", nullptr, &MemoryTrack::peakTensorBytes},
    {"workspaceRequests", &MemoryTrack::workspaceRequests, nullptr},
    {"largestWorkspaceBytes", nullptr, &MemoryTrack::largestWorkspaceBytes},
    {"constantBytes", nullptr, &MemoryTrack::constantBytes},
    {"cacheBytes", nullptr, &MemoryTrack::cacheBytes},
    {"lostEvents", &MemoryTrack::lostEvents, nullptr},
};

void appendInteger(std::string& out, std::string_view key, std::int64_t value) {
  appendJsonKey(out, key);
  appendJsonInteger(out, value);
}

template <class Field>
void appendIntegers(std::string& out, std::string_view key, const std::vector<StorageLife>& lives,
                    Field field) {
  appendJsonColumn(out, key, lives, [field](std::string& text, const StorageLife& life) {
    appendJsonInteger(text, static_cast<std::int64_t>(life.*field));
  });
}

void appendSeries(std::string& out, std::string_view key, const MemorySeries& series) {
  appendJsonKey(out, key);
  out += '{';
  appendInteger(out, "peakBytes", series.peakBytes);
  appendJsonKey(out, "peakNs");
  appendJsonNumber(out, series.peakNs);
  appendInteger(out, "peakRepeat", series.peakRepeat);
  appendJsonKey(out, "points");
  out += '{';
  using Point = MemoryPoint;
  appendJsonColumn(out, "repeat", series.points,
                   [](std::string& text, const Point& point) { appendJsonInteger(text, point.repeat); });
  appendJsonColumn(out, "ns", series.points,
                   [](std::string& text, const Point& point) { appendJsonNumber(text, point.ns); });
  appendJsonColumn(out, "bytes", series.points,
                   [](std::string& text, const Point& point) { appendJsonInteger(text, point.bytes); });
  out += "}}";
}

void appendStorages(std::string& out, const std::vector<StorageLife>& lives) {
  appendJsonKey(out, "storages");
  out += '{';
  using Life = StorageLife;
  for (const auto& [key, field] :
       {std::pair("takenNs", &Life::takenNs), std::pair("freedNs", &Life::freedNs)}) {
    appendJsonColumn(out, key, lives, [field = field](std::string& text, const Life& life) {
      appendJsonNumber(text, life.*field);
    });
  }
  appendIntegers(out, "bytes", lives, &Life::bytes);
  appendIntegers(out, "givenBytes", lives, &Life::givenBytes);
  for (const auto& [key, field] : {std::pair("reused", &Life::reused), std::pair("before", &Life::before)}) {
    appendJsonColumn(out, key, lives, [field = field](std::string& text, const Life& life) {
      text += life.*field ? "true" : "false";
    });
  }
  for (const auto& [key, field] : {std::pair("call", &Life::call), std::pair("writer", &Life::writer),
                                   std::pair("freedBy", &Life::freedBy)}) {
    appendJsonColumn(out, key, lives, [field = field](std::string& text, const Life& life) {
      appendJsonIndex(text, life.*field);
    });
  }
  appendIntegers(out, "tensorCount", lives, &Life::tensorCount);
  appendIntegers(out, "tensorBytes", lives, &Life::tensorBytes);
  out += '}';
}

class MemoryReader {
 public:
  MemoryReader(const JsonFile& file, const object& fields, const JsonPlace& place, const Run& run)
      : m_file(file), m_fields(fields), m_place(place), m_run(run) {}

  Result<MemoryTrack> read() {
    OPSCOPE_TRY_ASSIGN(m_track.repeat, repeat(m_fields, "repeat", m_place));
    OPSCOPE_TRY(readScalars());
    OPSCOPE_TRY_ASSIGN(m_track.peakCall, call(m_fields, "peakCall", m_place));
    OPSCOPE_TRY_ASSIGN(m_track.largestWorkspaceCall, call(m_fields, "largestWorkspaceCall", m_place));
    OPSCOPE_TRY(readSeries("storage", m_track.storage));
    OPSCOPE_TRY(readSeries("tensors", m_track.tensors));
    OPSCOPE_TRY(readSeries("workspaces", m_track.workspaces));
    OPSCOPE_TRY(readStorages());
    OPSCOPE_TRY(readHolders());
    return std::move(m_track);
  }

 private:
  Result<> readScalars() {
    for (const Scalar& scalar : kScalars) {
      OPSCOPE_TRY_ASSIGN(const std::int64_t value,
                         jsonInteger(m_file, m_fields, scalar.key, m_place, 0, kMostJsonCount));
      if (scalar.count != nullptr) {
        m_track.*scalar.count = static_cast<std::uint64_t>(value);
      } else {
        m_track.*scalar.bytes = value;
      }
    }
    return {};
  }

  Result<> readSeries(std::string_view key, MemorySeries& series) {
    const JsonPlace place = m_place.member(key);
    OPSCOPE_TRY_ASSIGN(const JsonElement element, m_file.member(m_fields, key, m_place));
    OPSCOPE_TRY_ASSIGN(const object fields, m_file.object(element, place));
    OPSCOPE_TRY_ASSIGN(series.peakBytes, jsonInteger(m_file, fields, "peakBytes", place, 0, kMostJsonCount));
    OPSCOPE_TRY_ASSIGN(series.peakNs, jsonNumber(m_file, fields, "peakNs", place, 0));
    OPSCOPE_TRY_ASSIGN(series.peakRepeat, repeat(fields, "peakRepeat", place));
    const JsonPlace pointsPlace = place.member("points");
    OPSCOPE_TRY_ASSIGN(const JsonColumns columns,
                       JsonColumns::open(m_file, fields, "points", "repeat", place, pointsPlace));
    std::vector<std::int64_t> repeats;
    std::vector<std::int64_t> bytes;
    std::vector<double> times;
    OPSCOPE_TRY(columns.integers("repeat", 0, m_run.repeats, repeats));
    OPSCOPE_TRY(columns.numbers("ns", 0, times));
    OPSCOPE_TRY(columns.integers("bytes", 0, kMostJsonCount, bytes));
    for (std::size_t i = 0; i < columns.length(); ++i) {
      const MemoryPoint point{times[i], bytes[i], static_cast<std::uint32_t>(repeats[i])};
      if (i > 0 && (point.repeat < series.points.back().repeat ||
                    (point.repeat == series.points.back().repeat && point.ns < series.points.back().ns))) {
        return m_file.error(pointsPlace.member("ns"), fmt::format("entry {} before entry {}", i, i - 1),
                            "points sorted by repeat, then time");
      }
      series.points.push_back(point);
    }
    return {};
  }

  Result<> readStorages() {
    const JsonPlace place = m_place.member("storages");
    OPSCOPE_TRY_ASSIGN(const JsonColumns columns,
                       JsonColumns::open(m_file, m_fields, "storages", "takenNs", m_place, place));
    std::vector<double> taken;
    std::vector<double> freed;
    std::vector<std::int64_t> bytes;
    std::vector<std::int64_t> given;
    std::vector<bool> reused;
    std::vector<bool> before;
    std::vector<std::uint32_t> calls;
    std::vector<std::uint32_t> writers;
    std::vector<std::uint32_t> freedBy;
    std::vector<std::int64_t> tensorCounts;
    std::vector<std::int64_t> tensorBytes;
    OPSCOPE_TRY(columns.numbers("takenNs", 0, taken));
    OPSCOPE_TRY(columns.numbers("freedNs", -1, freed));
    OPSCOPE_TRY(columns.integers("bytes", 0, kMostJsonCount, bytes));
    OPSCOPE_TRY(columns.integers("givenBytes", 0, kMostJsonCount, given));
    OPSCOPE_TRY(columns.flags("reused", reused));
    OPSCOPE_TRY(columns.flags("before", before));
    OPSCOPE_TRY(columns.indices("call", m_run.calls.size(), calls));
    OPSCOPE_TRY(columns.indices("writer", m_run.calls.size(), writers));
    OPSCOPE_TRY(columns.indices("freedBy", m_run.calls.size(), freedBy));
    OPSCOPE_TRY(columns.integers("tensorCount", 0, kNone, tensorCounts));
    OPSCOPE_TRY(columns.integers("tensorBytes", 0, kMostJsonCount, tensorBytes));
    for (std::size_t i = 0; i < columns.length(); ++i) {
      m_track.storages.push_back({taken[i], freed[i], bytes[i], given[i], reused[i], before[i], calls[i],
                                  writers[i], freedBy[i], static_cast<std::uint32_t>(tensorCounts[i]),
                                  tensorBytes[i]});
    }
    return {};
  }

  Result<> readHolders() {
    const JsonPlace place = m_place.member("holders");
    OPSCOPE_TRY_ASSIGN(const JsonColumns columns,
                       JsonColumns::open(m_file, m_fields, "holders", "storage", m_place, place));
    std::vector<std::int64_t> storages;
    std::vector<std::int64_t> bytes;
    OPSCOPE_TRY(columns.integers("storage", 0, static_cast<std::int64_t>(m_track.storages.size()), storages));
    std::vector<std::uint32_t> writers;
    OPSCOPE_TRY(columns.integers("tensorBytes", 0, kMostJsonCount, bytes));
    OPSCOPE_TRY(columns.indices("writer", m_run.calls.size(), writers));
    for (std::size_t i = 0; i < columns.length(); ++i) {
      m_track.holders.push_back({static_cast<std::uint32_t>(storages[i]), bytes[i], writers[i]});
    }
    return {};
  }

  Result<std::uint32_t> repeat(const object& fields, std::string_view key, const JsonPlace& place) const {
    const std::int64_t limit = std::max<std::int64_t>(m_run.repeats, 1);
    OPSCOPE_TRY_ASSIGN(const std::int64_t value, jsonInteger(m_file, fields, key, place, 0, limit));
    return static_cast<std::uint32_t>(value);
  }

  Result<std::uint32_t> call(const object& fields, std::string_view key, const JsonPlace& place) const {
    OPSCOPE_TRY_ASSIGN(const std::int64_t value, jsonInteger(m_file, fields, key, place, -1,
                                                             static_cast<std::int64_t>(m_run.calls.size())));
    return value < 0 ? kNone : static_cast<std::uint32_t>(value);
  }

  const JsonFile& m_file;
  const object& m_fields;
  const JsonPlace& m_place;
  const Run& m_run;
  MemoryTrack m_track;
};

}  // namespace

void appendMemoryJson(std::string& out, const MemoryTrack& memory) {
  appendJsonKey(out, "memory");
  out += '{';
  appendInteger(out, "repeat", memory.repeat);
  for (const Scalar& scalar : kScalars) {
    appendInteger(
        out, scalar.key,
        scalar.count != nullptr ? static_cast<std::int64_t>(memory.*scalar.count) : memory.*scalar.bytes);
  }
  appendJsonKey(out, "peakCall");
  appendJsonIndex(out, memory.peakCall);
  appendJsonKey(out, "largestWorkspaceCall");
  appendJsonIndex(out, memory.largestWorkspaceCall);
  appendSeries(out, "storage", memory.storage);
  appendSeries(out, "tensors", memory.tensors);
  appendSeries(out, "workspaces", memory.workspaces);
  appendStorages(out, memory.storages);
  appendJsonKey(out, "holders");
  out += '{';
  using Holder = MemoryHolder;
  appendJsonColumn(out, "storage", memory.holders,
                   [](std::string& text, const Holder& holder) { appendJsonInteger(text, holder.storage); });
  appendJsonColumn(out, "tensorBytes", memory.holders, [](std::string& text, const Holder& holder) {
    appendJsonInteger(text, holder.tensorBytes);
  });
  appendJsonColumn(out, "writer", memory.holders,
                   [](std::string& text, const Holder& holder) { appendJsonIndex(text, holder.writer); });
  out += "}}";
}

Result<MemoryTrack> memoryFromJson(const JsonFile& file, JsonElement element, const JsonPlace& place,
                                   const Run& run) {
  OPSCOPE_TRY_ASSIGN(const object fields, file.object(element, place));
  return MemoryReader(file, fields, place, run).read();
}

}  // namespace opscope::report
