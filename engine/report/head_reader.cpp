// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "engine/report/counters_json.h"
#include "engine/report/field_reader.h"
#include "engine/report/head_json.h"
#include "engine/report/lanes_json.h"
#include "engine/report/memory_json.h"
#include "engine/report/noise_json.h"
#include "engine/report/overhead_json.h"
#include "engine/report/report_element.h"
#include "engine/report/run_check.h"
#include "engine/report/run_report.h"
#include "engine/report/samples_json.h"
#include "engine/report/traffic_json.h"

namespace opscope::report {

namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using simdjson::dom::array;
using simdjson::dom::object;

class HeadReader : FieldReader {
 public:
  HeadReader(const JsonFile& file, const object& root, std::string_view name, Run& run)
      : FieldReader(file), m_root(root), m_name(name), m_run(run) {}

  Result<> read() {
    OPSCOPE_TRY(readSchema());
    OPSCOPE_TRY(readScalars());
    OPSCOPE_TRY(readNotes());
    OPSCOPE_TRY(readTexts());
    OPSCOPE_TRY(readTotals());
    OPSCOPE_TRY(readCounters());
    return readTrust();
  }

  /// What is there only when it was asked for.
  Result<> readExtras() {
    OPSCOPE_TRY(readTiming());
    JsonElement memory;
    if (m_root.at_key("memory").get(memory) == simdjson::SUCCESS) {
      OPSCOPE_TRY_ASSIGN(m_run.memory, memoryFromJson(m_file, memory, m_top.member("memory"), m_run));
    }
    JsonElement lanes;
    if (m_root.at_key("lanes").get(lanes) == simdjson::SUCCESS) {
      OPSCOPE_TRY_ASSIGN(m_run.lanes, lanesFromJson(m_file, lanes, m_top.member("lanes"), m_run));
    }
    return {};
  }

  Result<Document> readReport(std::shared_ptr<const Run> run) {
    JsonElement element;
    if (m_root.at_key("report").get(element) != simdjson::SUCCESS) return makeDocument(std::move(run));
    Document document;
    document.run = std::move(run);
    OPSCOPE_TRY_ASSIGN(Report report, reportOfElement(m_file, element, m_top.member("report")));
    OPSCOPE_TRY(readIndices(m_root, "reportCalls", m_top, document.run->calls.size(), document.reportCalls));
    if (document.reportCalls.size() != report.calls.size()) {
      return wrongLength(m_top.member("reportCalls"), document.reportCalls.size(), report.calls.size());
    }
    document.report = std::make_shared<const Report>(std::move(report));
    return document;
  }

 private:
  Result<> readSchema() {
    OPSCOPE_TRY_ASSIGN(const std::string_view schema, text(m_root, "schema", m_top));
    const std::string ours = fmt::format("\"{}{}\"", kSamplesSchema, kSamplesVersion);
    int version = 0;
    const bool known = schema.starts_with(kSamplesSchema);
    const std::string_view digits = known ? schema.substr(kSamplesSchema.size()) : std::string_view();
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), version);
    if (!known || code != std::errc() || end != digits.data() + digits.size() || version < 1) {
      return m_file.error(m_top.member("schema"), fmt::format("the text \"{}\"", schema.substr(0, 40)), ours);
    }
    if (version > kSamplesVersion) {
      return Error{ErrorCode::Unsupported,
                   fmt::format("{}: the samples are of a newer version ({}) than this program reads ({})",
                               m_name, version, kSamplesVersion),
                   fmt::format("Found schema \"{}\", expected {}.", schema, ours),
                   "Open it with the version of Opscope that wrote it, or a newer one."};
    }
    return {};
  }

  Result<> readScalars() {
    const std::pair<std::string_view, std::string*> texts[] = {{"executablePath", &m_run.executablePath},
                                                               {"executableHash", &m_run.executableHash},
                                                               {"function", &m_run.function},
                                                               {"target", &m_run.target},
                                                               {"startedAt", &m_run.startedAt},
                                                               {"inputs", &m_run.inputs},
                                                               {"failure", &m_run.failure}};
    for (const auto& [key, field] : texts) {
      OPSCOPE_TRY_ASSIGN(const std::string_view value, text(m_root, key, m_top));
      *field = value;
    }
    const std::pair<std::string_view, std::uint32_t*> numbers[] = {
        {"warmup", &m_run.warmup}, {"repeatsWanted", &m_run.repeatsWanted}, {"repeats", &m_run.repeats}};
    for (const auto& [key, field] : numbers) {
      OPSCOPE_TRY_ASSIGN(*field, index(m_root, key, m_top, kNone));
    }
    OPSCOPE_TRY_ASSIGN(const JsonElement startTimes, m_file.member(m_root, "hasStartTimes", m_top));
    OPSCOPE_TRY_ASSIGN(m_run.hasStartTimes, m_file.boolean(startTimes, m_top.member("hasStartTimes")));
    return {};
  }

  /// Lists of objects with two texts each.
  template <class Pair>
  Result<> readPairs(std::string_view key, std::string_view first, std::string_view second,
                     std::vector<Pair>& pairs) {
    return readPairsOf(m_root, m_top, key, first, second, pairs);
  }

  template <class Pair>
  Result<> readPairsOf(const object& parent, const JsonPlace& parentPlace, std::string_view key,
                       std::string_view first, std::string_view second, std::vector<Pair>& pairs) {
    const JsonPlace place = parentPlace.member(key);
    OPSCOPE_TRY_ASSIGN(const array items, list(parent, key, parentPlace));
    for (const JsonElement item : items) {
      const JsonPlace itemPlace = place.item(pairs.size());
      OPSCOPE_TRY_ASSIGN(const object fields, m_file.object(item, itemPlace));
      OPSCOPE_TRY_ASSIGN(const std::string_view firstText, text(fields, first, itemPlace));
      OPSCOPE_TRY_ASSIGN(const std::string_view secondText, text(fields, second, itemPlace));
      pairs.push_back({std::string(firstText), std::string(secondText)});
    }
    return {};
  }

  Result<> readNotes() {
    OPSCOPE_TRY_ASSIGN(const JsonElement configuration, m_file.member(m_root, "configuration", m_top));
    OPSCOPE_TRY_ASSIGN(m_run.configuration, m_file.metrics(configuration, m_top.member("configuration")));
    OPSCOPE_TRY(readPairs("environment", "name", "value", m_run.environment));
    return readPairs("warnings", "message", "hint", m_run.warnings);
  }

  Result<> readTexts() {
    const std::pair<std::string_view, std::vector<std::string>*> tables[] = {{"names", &m_run.names},
                                                                             {"shapes", &m_run.shapes},
                                                                             {"devices", &m_run.devices},
                                                                             {"steps", &m_run.steps}};
    for (const auto& [key, texts] : tables) {
      OPSCOPE_TRY_ASSIGN(const array items, list(m_root, key, m_top));
      for (const JsonElement item : items) {
        OPSCOPE_TRY_ASSIGN(const std::string_view value,
                           m_file.string(item, m_top.member(key).item(texts->size())));
        texts->emplace_back(value);
      }
    }
    if (m_run.steps.empty())
      return m_file.error(m_top.member("steps"), "an empty array", "at least one step");
    return {};
  }

  Result<> readTotals() {
    OPSCOPE_TRY_ASSIGN(const array totals, list(m_root, "totals", m_top));
    const JsonPlace totalsPlace = m_top.member("totals");
    for (const JsonElement item : totals) {
      const JsonPlace place = totalsPlace.item(m_run.totals.size());
      OPSCOPE_TRY_ASSIGN(const object fields, m_file.object(item, place));
      DeviceTotal total;
      OPSCOPE_TRY_ASSIGN(const std::string_view device, text(fields, "device", place));
      total.device = device;
      OPSCOPE_TRY(readTimes(fields, "totalNs", place, m_run.repeats, total.totalNs));
      m_run.totals.push_back(std::move(total));
    }
    if (m_run.totals.empty() && m_run.repeats > 0) {
      return m_file.error(totalsPlace, "an empty array", "the total of at least one device");
    }
    OPSCOPE_TRY_ASSIGN(const array steps, list(m_root, "stepNs", m_top));
    const JsonPlace stepsPlace = m_top.member("stepNs");
    for (const JsonElement item : steps) {
      std::vector<double> times;
      OPSCOPE_TRY(appendTimes(item, stepsPlace.item(m_run.stepNs.size()), m_run.repeats, times));
      m_run.stepNs.push_back(std::move(times));
    }
    if (!m_run.stepNs.empty() && m_run.stepNs.size() != m_run.steps.size()) {
      return m_file.error(stepsPlace, fmt::format("{} steps", m_run.stepNs.size()),
                          fmt::format("{} or none", m_run.steps.size()));
    }
    return {};
  }

  /// What clock and recording resolve, where the file tells.
  Result<> readTiming() {
    JsonElement element;
    if (m_root.at_key("timing").get(element) != simdjson::SUCCESS) return {};
    const JsonPlace place = m_top.member("timing");
    OPSCOPE_TRY_ASSIGN(const object fields, m_file.object(element, place));
    Timing timing;
    const std::pair<std::string_view, double*> numbers[] = {{"tickNs", &timing.tickNs},
                                                            {"recordingNs", &timing.recordingNs}};
    for (const auto& [key, field] : numbers) {
      OPSCOPE_TRY_ASSIGN(const JsonElement number, m_file.member(fields, key, place));
      OPSCOPE_TRY_ASSIGN(*field, m_file.number(number, place.member(key)));
      if (*field < 0 || *field > kMostNs) {
        return m_file.error(place.member(key), describeJson(number), "a time in ns, from 0 on");
      }
    }
    m_run.timing = timing;
    return {};
  }

  /// The columns without their values, when collectors were asked.
  Result<> readCounters() {
    JsonElement element;
    if (m_root.at_key("counters").get(element) != simdjson::SUCCESS) return {};
    OPSCOPE_TRY_ASSIGN(m_run.counters,
                       counterColumnsFromJson(m_file, element, m_top.member("counters"), m_run.repeats));
    return {};
  }

  Result<> readTrust() {
    JsonElement element;
    if (m_root.at_key("overhead").get(element) == simdjson::SUCCESS) {
      OPSCOPE_TRY_ASSIGN(m_run.overhead,
                         overheadFromJson(m_file, element, m_top.member("overhead"), m_run.repeats));
    }
    if (m_root.at_key("noise").get(element) == simdjson::SUCCESS) {
      OPSCOPE_TRY_ASSIGN(m_run.noise, noiseFromJson(m_file, element, m_top.member("noise")));
    }
    if (m_root.at_key("traffic").get(element) == simdjson::SUCCESS) {
      OPSCOPE_TRY_ASSIGN(m_run.traffic, trafficFromJson(m_file, element, m_top.member("traffic"), m_run));
    }
    return readRemote();
  }

  Result<> readRemote() {
    JsonElement element;
    if (m_root.at_key("remote").get(element) != simdjson::SUCCESS) return {};
    const JsonPlace place = m_top.member("remote");
    OPSCOPE_TRY_ASSIGN(const object fields, m_file.object(element, place));
    RemoteFacts remote;
    OPSCOPE_TRY_ASSIGN(const std::string_view way, text(fields, "way", place));
    OPSCOPE_TRY_ASSIGN(const std::string_view words, text(fields, "words", place));
    remote.way = way;
    remote.words = words;
    OPSCOPE_TRY(readPairsOf(fields, place, "board", "name", "value", remote.board));
    m_run.remote = std::move(remote);
    return {};
  }

  const JsonPlace m_top{};
  const object& m_root;
  std::string_view m_name;
  Run& m_run;
};

}  // namespace

Result<> readHead(const JsonFile& file, const object& root, std::string_view fileForMessages, Run& run) {
  return HeadReader(file, root, fileForMessages, run).read();
}

Result<> readHeadExtras(const JsonFile& file, const object& root, Run& run) {
  return HeadReader(file, root, {}, run).readExtras();
}

Result<Document> readHeadReport(const JsonFile& file, const object& root, std::shared_ptr<Run> run) {
  Run& itself = *run;
  return HeadReader(file, root, {}, itself).readReport(std::move(run));
}

Result<Document> documentFromHead(std::string_view head, RunBody body, std::string_view nameForMessages) {
  OPSCOPE_TRY_ASSIGN(const JsonFile file, JsonFile::parse(head, nameForMessages, "the head of a run"));
  OPSCOPE_TRY_ASSIGN(const object root, file.object(file.root(), JsonPlace()));
  auto run = std::make_shared<Run>();
  OPSCOPE_TRY(readHead(file, root, nameForMessages, *run));
  run->calls = std::move(body.calls);
  run->ownNs = std::move(body.ownNs);
  run->inclusiveNs = std::move(body.inclusiveNs);
  run->sampleRepeat = std::move(body.sampleRepeat);
  run->spans = std::move(body.spans);
  if (body.counters.size() != run->counters.size() && !run->ownNs.empty()) {
    return Error{ErrorCode::Format, fmt::format("{}: the counters are wrong", nameForMessages),
                 fmt::format("Found values of {}, expected {}.", body.counters.size(), run->counters.size()),
                 ""};
  }
  for (std::size_t column = 0; column < std::min(body.counters.size(), run->counters.size()); ++column) {
    run->counters[column].values = std::move(body.counters[column]);
  }
  if (const std::optional<BodyProblem> problem = findBodyProblem(*run)) {
    return Error{ErrorCode::Format, fmt::format("{}: {} is wrong", nameForMessages, problem->place),
                 problem->detail, ""};
  }
  OPSCOPE_TRY(readHeadExtras(file, root, *run));
  return readHeadReport(file, root, std::move(run));
}

}  // namespace opscope::report
