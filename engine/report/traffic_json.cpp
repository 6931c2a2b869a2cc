// SPDX-License-Identifier: Apache-2.0
#include "engine/report/traffic_json.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/report/json_columns.h"

namespace opscope::report {

namespace {

using base::Result;
using simdjson::dom::array;
using simdjson::dom::object;

void appendEvents(std::string& out, const std::vector<TrafficEvent>& events) {
  appendJsonKey(out, "events");
  out += '{';
  appendJsonNumbers(out, "startNs", events, &TrafficEvent::startNs);
  appendJsonNumbers(out, "durationNs", events, &TrafficEvent::durationNs);
  appendJsonIntegers(out, "bytesOut", events, &TrafficEvent::bytesOut);
  appendJsonIntegers(out, "bytesIn", events, &TrafficEvent::bytesIn);
  appendJsonIntegers(out, "requests", events, &TrafficEvent::requests);
  appendJsonIntegers(out, "name", events, &TrafficEvent::name);
  appendJsonColumn(out, "repeat", events,
                   [](std::string& text, const TrafficEvent& event) { appendJsonIndex(text, event.repeat); });
  appendJsonColumn(out, "kind", events, [](std::string& text, const TrafficEvent& event) {
    appendJsonString(text, trafficKindName(event.kind));
  });
  appendJsonColumn(out, "phase", events, [](std::string& text, const TrafficEvent& event) {
    appendJsonString(text, trafficPhaseName(event.phase));
  });
  appendJsonColumn(out, "failed", events, [](std::string& text, const TrafficEvent& event) {
    text += event.failed ? "true" : "false";
  });
  out += '}';
}

class TrafficReader {
 public:
  TrafficReader(const JsonFile& file, const object& fields, const JsonPlace& place, const Run& run)
      : m_file(file), m_fields(fields), m_place(place), m_run(run) {}

  Result<TrafficTrack> read() {
    const std::pair<std::string_view, std::uint64_t*> counts[] = {{"notKept", &m_track.notKept},
                                                                  {"requests", &m_track.requests},
                                                                  {"bytesOut", &m_track.bytesOut},
                                                                  {"bytesIn", &m_track.bytesIn}};
    for (const auto& [key, field] : counts) {
      OPSCOPE_TRY_ASSIGN(const std::int64_t count,
                         jsonInteger(m_file, m_fields, key, m_place, 0, kMostJsonCount));
      *field = static_cast<std::uint64_t>(count);
    }
    OPSCOPE_TRY_ASSIGN(m_track.wallNs, jsonNumber(m_file, m_fields, "wallNs", m_place, 0));
    OPSCOPE_TRY_ASSIGN(m_track.transferNs, jsonNumber(m_file, m_fields, "transferNs", m_place, 0));
    OPSCOPE_TRY(readNames());
    OPSCOPE_TRY(readEvents());
    OPSCOPE_TRY(readRepeats());
    return std::move(m_track);
  }

 private:
  Result<> readNames() {
    const JsonPlace place = m_place.member("names");
    OPSCOPE_TRY_ASSIGN(const JsonElement element, m_file.member(m_fields, "names", m_place));
    OPSCOPE_TRY_ASSIGN(const array items, m_file.array(element, place));
    for (const JsonElement item : items) {
      OPSCOPE_TRY_ASSIGN(const std::string_view name, m_file.string(item, place.item(m_track.names.size())));
      m_track.names.emplace_back(name);
    }
    return {};
  }

  Result<> readEvents() {
    const JsonPlace place = m_place.member("events");
    OPSCOPE_TRY_ASSIGN(const JsonColumns columns,
                       JsonColumns::open(m_file, m_fields, "events", "startNs", m_place, place));
    std::vector<double> starts, durations;
    std::vector<std::int64_t> out, in, requests, names;
    std::vector<std::uint32_t> repeats;
    std::vector<bool> failed;
    OPSCOPE_TRY(columns.numbers("startNs", 0, starts));
    OPSCOPE_TRY(columns.numbers("durationNs", 0, durations));
    OPSCOPE_TRY(columns.integers("bytesOut", 0, kMostJsonCount, out));
    OPSCOPE_TRY(columns.integers("bytesIn", 0, kMostJsonCount, in));
    OPSCOPE_TRY(columns.integers("requests", 0, kNone, requests));
    OPSCOPE_TRY(columns.integers("name", 0, static_cast<std::int64_t>(m_track.names.size()), names));
    OPSCOPE_TRY(columns.indices("repeat", kNone, repeats));
    OPSCOPE_TRY(columns.flags("failed", failed));
    OPSCOPE_TRY_ASSIGN(const auto kinds, readWords("kind", place, columns.length(), trafficKindOf,
                                                   "a kind of request, as \"call\""));
    OPSCOPE_TRY_ASSIGN(const auto phases, readWords("phase", place, columns.length(), trafficPhaseOf,
                                                    "a phase of a run, as \"repeat\""));
    m_track.events.reserve(columns.length());
    for (std::size_t i = 0; i < columns.length(); ++i) {
      if (i > 0 && starts[i] < starts[i - 1]) {
        return m_file.error(place.member("startNs").item(i), "a start before the one before it",
                            "starts in order");
      }
      m_track.events.push_back({starts[i], durations[i], static_cast<std::uint64_t>(out[i]),
                                static_cast<std::uint64_t>(in[i]), static_cast<std::uint32_t>(requests[i]),
                                static_cast<std::uint32_t>(names[i]), repeats[i], kinds[i], phases[i],
                                failed[i]});
    }
    return {};
  }

  template <class Word>
  Result<std::vector<Word>> readWords(std::string_view key, const JsonPlace& place, std::size_t count,
                                      std::optional<Word> (*wordOf)(std::string_view),
                                      std::string_view expected) const {
    OPSCOPE_TRY_ASSIGN(const JsonElement element, m_file.member(m_fields, "events", m_place));
    OPSCOPE_TRY_ASSIGN(const object fields, m_file.object(element, place));
    OPSCOPE_TRY_ASSIGN(const JsonElement column, m_file.member(fields, key, place));
    const JsonPlace columnPlace = place.member(key);
    OPSCOPE_TRY_ASSIGN(const array values, m_file.array(column, columnPlace));
    std::vector<Word> words;
    for (const JsonElement value : values) {
      const JsonPlace valuePlace = columnPlace.item(words.size());
      OPSCOPE_TRY_ASSIGN(const std::string_view name, m_file.string(value, valuePlace));
      const std::optional<Word> word = wordOf(name);
      if (!word) return m_file.error(valuePlace, describeJson(value), expected);
      words.push_back(*word);
    }
    if (words.size() != count) {
      return m_file.error(columnPlace, fmt::format("{} values", words.size()), fmt::format("{}", count));
    }
    return words;
  }

  Result<> readRepeats() {
    const JsonPlace place = m_place.member("repeats");
    OPSCOPE_TRY_ASSIGN(const JsonColumns columns,
                       JsonColumns::open(m_file, m_fields, "repeats", "startNs", m_place, place));
    std::vector<double> starts, zeros, doubts;
    OPSCOPE_TRY(columns.numbers("startNs", 0, starts));
    OPSCOPE_TRY(columns.numbers("zeroNs", -1, zeros));
    OPSCOPE_TRY(columns.numbers("doubtNs", 0, doubts));
    if (columns.length() > m_run.repeats) {
      return m_file.error(place, fmt::format("{} repeats", columns.length()),
                          fmt::format("at most the run's {}", m_run.repeats));
    }
    for (std::size_t i = 0; i < columns.length(); ++i) {
      m_track.repeats.push_back({starts[i], zeros[i], doubts[i]});
    }
    return {};
  }

  const JsonFile& m_file;
  const object& m_fields;
  const JsonPlace& m_place;
  const Run& m_run;
  TrafficTrack m_track;
};

}  // namespace

std::string trafficText(const TrafficTrack& traffic) {
  std::string out = "{";
  const std::pair<std::string_view, std::uint64_t> counts[] = {{"requests", traffic.requests},
                                                               {"notKept", traffic.notKept},
                                                               {"bytesOut", traffic.bytesOut},
                                                               {"bytesIn", traffic.bytesIn}};
  for (const auto& [key, count] : counts) {
    appendJsonKey(out, key);
    appendJsonInteger(out, static_cast<std::int64_t>(count));
  }
  appendJsonKey(out, "wallNs");
  appendJsonNumber(out, traffic.wallNs);
  appendJsonKey(out, "transferNs");
  appendJsonNumber(out, traffic.transferNs);
  appendJsonKey(out, "names");
  appendJsonStrings(out, traffic.names);
  appendEvents(out, traffic.events);
  appendJsonKey(out, "repeats");
  out += '{';
  appendJsonNumbers(out, "startNs", traffic.repeats, &TrafficRepeat::startNs);
  appendJsonNumbers(out, "zeroNs", traffic.repeats, &TrafficRepeat::zeroNs);
  appendJsonNumbers(out, "doubtNs", traffic.repeats, &TrafficRepeat::doubtNs);
  out += "}}";
  return out;
}

Result<TrafficTrack> trafficFromJson(const JsonFile& file, JsonElement element, const JsonPlace& place,
                                     const Run& run) {
  OPSCOPE_TRY_ASSIGN(const object fields, file.object(element, place));
  return TrafficReader(file, fields, place, run).read();
}

}  // namespace opscope::report
