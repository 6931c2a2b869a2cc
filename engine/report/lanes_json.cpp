// SPDX-License-Identifier: Apache-2.0
#include "engine/report/lanes_json.h"

#include <fmt/format.h>

#include "engine/report/json_columns.h"

namespace opscope::report {

namespace {

using base::Result;
using simdjson::dom::array;
using simdjson::dom::object;

constexpr std::int64_t kMostThreads = 1 << 20;

class LanesReader {
 public:
  LanesReader(const JsonFile& file, const object& fields, const JsonPlace& place, const Run& run)
      : m_file(file), m_fields(fields), m_place(place), m_run(run) {}

  Result<LaneTrack> read() {
    OPSCOPE_TRY_ASSIGN(const std::int64_t threads,
                       jsonInteger(m_file, m_fields, "threads", m_place, 1, kMostThreads));
    OPSCOPE_TRY_ASSIGN(const std::int64_t lost,
                       jsonInteger(m_file, m_fields, "lostRecords", m_place, 0, kMostJsonCount));
    m_track.threads = static_cast<std::uint32_t>(threads);
    m_track.lostRecords = static_cast<std::uint64_t>(lost);
    OPSCOPE_TRY(readTasks());
    OPSCOPE_TRY(readLaunches());
    return std::move(m_track);
  }

 private:
  Result<> readTasks() {
    const JsonPlace place = m_place.member("tasks");
    OPSCOPE_TRY_ASSIGN(const JsonColumns columns,
                       JsonColumns::open(m_file, m_fields, "tasks", "startNs", m_place, place));
    std::vector<double> starts;
    std::vector<double> durations;
    std::vector<double> cpu;
    std::vector<std::int64_t> tasks;
    std::vector<std::int64_t> lanes;
    OPSCOPE_TRY(columns.numbers("startNs", 0, starts));
    OPSCOPE_TRY(columns.numbers("durationNs", 0, durations));
    OPSCOPE_TRY(columns.numbers("cpuNs", 0, cpu));
    OPSCOPE_TRY(columns.integers("task", 0, kNone, tasks));
    OPSCOPE_TRY(columns.integers("lane", 0, kNone, lanes));
    m_track.tasks.reserve(columns.length());
    for (std::size_t i = 0; i < columns.length(); ++i) {
      m_track.tasks.push_back({starts[i], durations[i], cpu[i], static_cast<std::uint32_t>(tasks[i]),
                               static_cast<std::uint32_t>(lanes[i])});
    }
    return {};
  }

  Result<> readLaunches() {
    const JsonPlace place = m_place.member("launches");
    OPSCOPE_TRY_ASSIGN(const JsonColumns columns,
                       JsonColumns::open(m_file, m_fields, "launches", "repeat", m_place, place));
    std::vector<std::int64_t> repeats;
    std::vector<double> starts;
    std::vector<double> durations;
    std::vector<std::uint32_t> calls;
    std::vector<std::int64_t> tasks;
    std::vector<bool> failed;
    std::vector<std::int64_t> taskCounts;
    OPSCOPE_TRY(columns.integers("repeat", 0, m_run.repeats, repeats));
    OPSCOPE_TRY(columns.numbers("startNs", 0, starts));
    OPSCOPE_TRY(columns.numbers("durationNs", 0, durations));
    OPSCOPE_TRY(columns.indices("call", m_run.calls.size(), calls));
    OPSCOPE_TRY(columns.integers("tasks", 0, kNone, tasks));
    OPSCOPE_TRY(columns.flags("failed", failed));
    OPSCOPE_TRY(columns.integers("taskCount", 0, kNone, taskCounts));
    OPSCOPE_TRY_ASSIGN(const std::vector<LaunchKind> kinds, readKinds(place, columns.length()));
    std::uint64_t next = 0;
    for (std::size_t i = 0; i < columns.length(); ++i) {
      Launch launch{starts[i],
                    durations[i],
                    static_cast<std::uint32_t>(repeats[i]),
                    calls[i],
                    static_cast<std::uint32_t>(tasks[i]),
                    kinds[i],
                    failed[i],
                    next,
                    static_cast<std::uint32_t>(taskCounts[i])};
      next += launch.taskCount;
      if (next > m_track.tasks.size()) {
        return m_file.error(place.member("taskCount").item(i), fmt::format("{} tasks until here", next),
                            fmt::format("at most the {} of \"tasks\"", m_track.tasks.size()));
      }
      m_track.launches.push_back(launch);
    }
    return {};
  }

  Result<std::vector<LaunchKind>> readKinds(const JsonPlace& place, std::size_t count) const {
    OPSCOPE_TRY_ASSIGN(const JsonElement element, m_file.member(m_fields, "launches", m_place));
    OPSCOPE_TRY_ASSIGN(const object fields, m_file.object(element, place));
    OPSCOPE_TRY_ASSIGN(const JsonElement column, m_file.member(fields, "kind", place));
    const JsonPlace columnPlace = place.member("kind");
    OPSCOPE_TRY_ASSIGN(const array values, m_file.array(column, columnPlace));
    std::vector<LaunchKind> kinds;
    for (const JsonElement value : values) {
      const JsonPlace valuePlace = columnPlace.item(kinds.size());
      OPSCOPE_TRY_ASSIGN(const std::string_view name, m_file.string(value, valuePlace));
      const std::optional<LaunchKind> kind = launchKindOf(name);
      if (!kind) {
        return m_file.error(valuePlace, describeJson(value), "a kind of launch, as \"pool\"");
      }
      kinds.push_back(*kind);
    }
    if (kinds.size() != count) {
      return m_file.error(columnPlace, fmt::format("{} values", kinds.size()), fmt::format("{}", count));
    }
    return kinds;
  }

  const JsonFile& m_file;
  const object& m_fields;
  const JsonPlace& m_place;
  const Run& m_run;
  LaneTrack m_track;
};

}  // namespace

/// Tasks stand in the order of their launches, so a launch needs to tell their number only.
void appendLanesJson(std::string& out, const LaneTrack& lanes) {
  appendJsonKey(out, "lanes");
  out += '{';
  appendJsonKey(out, "threads");
  appendJsonInteger(out, lanes.threads);
  appendJsonKey(out, "lostRecords");
  appendJsonInteger(out, static_cast<std::int64_t>(lanes.lostRecords));
  std::vector<LaneTask> tasks;
  tasks.reserve(lanes.tasks.size());
  for (const Launch& launch : lanes.launches) {
    const auto first = lanes.tasks.begin() + static_cast<std::ptrdiff_t>(launch.firstTask);
    tasks.insert(tasks.end(), first, first + launch.taskCount);
  }
  appendJsonKey(out, "launches");
  out += '{';
  appendJsonIntegers(out, "repeat", lanes.launches, &Launch::repeat);
  appendJsonNumbers(out, "startNs", lanes.launches, &Launch::startNs);
  appendJsonNumbers(out, "durationNs", lanes.launches, &Launch::durationNs);
  appendJsonColumn(out, "call", lanes.launches,
                   [](std::string& text, const Launch& launch) { appendJsonIndex(text, launch.call); });
  appendJsonIntegers(out, "tasks", lanes.launches, &Launch::tasks);
  appendJsonColumn(out, "kind", lanes.launches, [](std::string& text, const Launch& launch) {
    appendJsonString(text, launchKindName(launch.kind));
  });
  appendJsonColumn(out, "failed", lanes.launches,
                   [](std::string& text, const Launch& launch) { text += launch.failed ? "true" : "false"; });
  appendJsonIntegers(out, "taskCount", lanes.launches, &Launch::taskCount);
  out += '}';
  appendJsonKey(out, "tasks");
  out += '{';
  appendJsonNumbers(out, "startNs", tasks, &LaneTask::startNs);
  appendJsonNumbers(out, "durationNs", tasks, &LaneTask::durationNs);
  appendJsonNumbers(out, "cpuNs", tasks, &LaneTask::cpuNs);
  appendJsonIntegers(out, "task", tasks, &LaneTask::task);
  appendJsonIntegers(out, "lane", tasks, &LaneTask::lane);
  out += "}}";
}

Result<LaneTrack> lanesFromJson(const JsonFile& file, JsonElement element, const JsonPlace& place,
                                const Run& run) {
  OPSCOPE_TRY_ASSIGN(const object fields, file.object(element, place));
  return LanesReader(file, fields, place, run).read();
}

}  // namespace opscope::report
