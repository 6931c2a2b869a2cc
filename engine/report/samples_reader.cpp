// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>

#include "engine/report/json_reader.h"
#include "engine/report/lanes_json.h"
#include "engine/report/memory_json.h"
#include "engine/report/report_element.h"
#include "engine/report/run_report.h"
#include "engine/report/samples_json.h"

namespace opscope::report {

namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using simdjson::dom::array;
using simdjson::dom::object;

/// Reads one file into one Run. Every index that the rest of the program follows is checked here.
class SamplesReader {
 public:
  SamplesReader(const JsonFile& file, std::string_view name) : m_file(file), m_name(name) {}

  Result<std::shared_ptr<const Run>> read() {
    OPSCOPE_TRY_ASSIGN(m_root, m_file.object(m_file.root(), m_top));
    OPSCOPE_TRY(readSchema());
    OPSCOPE_TRY(readHead());
    OPSCOPE_TRY(readNotes());
    OPSCOPE_TRY(readTexts());
    OPSCOPE_TRY(readTotals());
    OPSCOPE_TRY(readCalls());
    OPSCOPE_TRY(readSpans());
    OPSCOPE_TRY(readExtras());
    return std::shared_ptr<const Run>(std::make_shared<Run>(std::move(m_run)));
  }

  Result<Document> readDocument() {
    Document document;
    OPSCOPE_TRY_ASSIGN(document.run, read());
    JsonElement element;
    if (m_root.at_key("report").get(element) != simdjson::SUCCESS)
      return makeDocument(std::move(document.run));
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

  Result<> readHead() {
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
    const JsonPlace place = m_top.member(key);
    OPSCOPE_TRY_ASSIGN(const array items, list(m_root, key, m_top));
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

  Result<> readCalls() {
    OPSCOPE_TRY_ASSIGN(const array calls, list(m_root, "calls", m_top));
    const JsonPlace callsPlace = m_top.member("calls");
    for (const JsonElement item : calls) {
      const JsonPlace place = callsPlace.item(m_run.calls.size());
      OPSCOPE_TRY_ASSIGN(const object fields, m_file.object(item, place));
      OPSCOPE_TRY(readCall(fields, place));
    }
    return {};
  }

  Result<> readCall(const object& fields, const JsonPlace& place) {
    Call call;
    OPSCOPE_TRY_ASSIGN(call.name, index(fields, "name", place, m_run.names.size()));
    OPSCOPE_TRY_ASSIGN(call.shapes, optionalIndex(fields, "shapes", place, m_run.shapes.size()));
    OPSCOPE_TRY_ASSIGN(call.device, optionalIndex(fields, "device", place, m_run.devices.size()));
    OPSCOPE_TRY_ASSIGN(call.instruction, index(fields, "instruction", place, kNone));
    OPSCOPE_TRY_ASSIGN(call.depth, index(fields, "depth", place, kMaxDepth));
    OPSCOPE_TRY_ASSIGN(call.step, index(fields, "step", place, m_run.steps.size()));
    OPSCOPE_TRY_ASSIGN(call.inReport, flag(fields, "inReport", place));
    OPSCOPE_TRY_ASSIGN(call.kernel, flag(fields, "kernel", place));
    call.firstSample = m_run.ownNs.size();
    OPSCOPE_TRY(readRepeats(fields, place));
    call.sampleCount = static_cast<std::uint32_t>(m_run.sampleRepeat.size() - call.firstSample);
    OPSCOPE_TRY(readTimes(fields, "ownNs", place, call.sampleCount, m_run.ownNs));
    OPSCOPE_TRY(readTimes(fields, "inclusiveNs", place, call.sampleCount, m_run.inclusiveNs));
    m_run.calls.push_back(call);
    return {};
  }

  /// Without the key the call was made in each repeat.
  Result<> readRepeats(const object& fields, const JsonPlace& place) {
    JsonElement element;
    if (fields.at_key("repeats").get(element) != simdjson::SUCCESS) {
      OPSCOPE_TRY_ASSIGN(const array own, list(fields, "ownNs", place));
      // The number of samples is held against the repeats before memory is taken for them.
      if (own.size() != m_run.repeats) return wrongLength(place.member("ownNs"), own.size(), m_run.repeats);
      for (std::uint32_t repeat = 0; repeat < m_run.repeats; ++repeat) m_run.sampleRepeat.push_back(repeat);
      return {};
    }
    const JsonPlace repeatsPlace = place.member("repeats");
    OPSCOPE_TRY_ASSIGN(const array items, m_file.array(element, repeatsPlace));
    std::uint32_t least = 0;
    std::size_t position = 0;
    for (const JsonElement item : items) {
      const JsonPlace itemPlace = repeatsPlace.item(position++);
      OPSCOPE_TRY_ASSIGN(const std::uint32_t repeat, m_file.index(item, itemPlace, m_run.repeats));
      if (repeat < least) return m_file.error(itemPlace, describeJson(item), "ascending numbers of repeats");
      least = repeat + 1;
      m_run.sampleRepeat.push_back(repeat);
    }
    return {};
  }

  Result<> readSpans() {
    const JsonPlace place = m_top.member("spans");
    OPSCOPE_TRY_ASSIGN(const JsonElement element, m_file.member(m_root, "spans", m_top));
    OPSCOPE_TRY_ASSIGN(const object fields, m_file.object(element, place));
    std::vector<std::uint32_t> calls;
    std::vector<std::uint32_t> repeats;
    std::vector<double> starts;
    std::vector<double> durations;
    OPSCOPE_TRY(readIndices(fields, "call", place, m_run.calls.size(), calls));
    OPSCOPE_TRY(readIndices(fields, "repeat", place, m_run.repeats, repeats));
    if (repeats.size() != calls.size())
      return wrongLength(place.member("repeat"), repeats.size(), calls.size());
    OPSCOPE_TRY(readTimes(fields, "startNs", place, calls.size(), starts));
    OPSCOPE_TRY(readTimes(fields, "durationNs", place, calls.size(), durations));
    m_run.spans.reserve(calls.size());
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const bool sorted = i == 0 || repeats[i] > repeats[i - 1] ||
                          (repeats[i] == repeats[i - 1] && starts[i] >= starts[i - 1]);
      if (!sorted) {
        return m_file.error(place.member("startNs"), fmt::format("entry {} before entry {}", i, i - 1),
                            "spans sorted by repeat, then start");
      }
      m_run.spans.push_back({starts[i], durations[i], calls[i], repeats[i]});
    }
    return {};
  }

  /// What is there only when it was asked for.
  Result<> readExtras() {
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

  Result<> readIndices(const object& fields, std::string_view key, const JsonPlace& parent, std::size_t limit,
                       std::vector<std::uint32_t>& out) {
    const JsonPlace place = parent.member(key);
    OPSCOPE_TRY_ASSIGN(const array items, list(fields, key, parent));
    for (const JsonElement item : items) {
      OPSCOPE_TRY_ASSIGN(const std::uint32_t value, m_file.index(item, place.item(out.size()), limit));
      out.push_back(value);
    }
    return {};
  }

  Result<> readTimes(const object& fields, std::string_view key, const JsonPlace& place, std::size_t count,
                     std::vector<double>& out) {
    OPSCOPE_TRY_ASSIGN(const JsonElement element, m_file.member(fields, key, place));
    return appendTimes(element, place.member(key), count, out);
  }

  Result<> appendTimes(JsonElement element, const JsonPlace& place, std::size_t count,
                       std::vector<double>& out) {
    OPSCOPE_TRY_ASSIGN(const array items, m_file.array(element, place));
    std::size_t position = 0;
    for (const JsonElement item : items) {
      const JsonPlace itemPlace = place.item(position++);
      OPSCOPE_TRY_ASSIGN(const double ns, m_file.number(item, itemPlace));
      if (ns < 0 || ns > kMaxNs)
        return m_file.error(itemPlace, describeJson(item), "nanoseconds from 0 to 1e18");
      out.push_back(ns);
    }
    if (position != count) return wrongLength(place, position, count);
    return {};
  }

  Error wrongLength(const JsonPlace& place, std::size_t found, std::size_t expected) const {
    return m_file.error(place, fmt::format("{} values", found), fmt::format("{}", expected));
  }

  Result<array> list(const object& fields, std::string_view key, const JsonPlace& place) const {
    OPSCOPE_TRY_ASSIGN(const JsonElement element, m_file.member(fields, key, place));
    return m_file.array(element, place.member(key));
  }
  Result<std::string_view> text(const object& fields, std::string_view key, const JsonPlace& place) const {
    OPSCOPE_TRY_ASSIGN(const JsonElement element, m_file.member(fields, key, place));
    return m_file.string(element, place.member(key));
  }
  Result<bool> flag(const object& fields, std::string_view key, const JsonPlace& place) const {
    OPSCOPE_TRY_ASSIGN(const JsonElement element, m_file.member(fields, key, place));
    return m_file.boolean(element, place.member(key));
  }
  Result<std::uint32_t> index(const object& fields, std::string_view key, const JsonPlace& place,
                              std::size_t limit) const {
    OPSCOPE_TRY_ASSIGN(const JsonElement element, m_file.member(fields, key, place));
    return m_file.index(element, place.member(key), limit);
  }
  Result<std::uint32_t> optionalIndex(const object& fields, std::string_view key, const JsonPlace& place,
                                      std::size_t limit) const {
    JsonElement element;
    if (fields.at_key(key).get(element) != simdjson::SUCCESS) return kNone;
    return m_file.index(element, place.member(key), limit);
  }

  static constexpr double kMaxNs = 1e18;            // 31 years: sums stay finite
  static constexpr std::size_t kMaxDepth = 100000;  // of VM frames

  const JsonFile& m_file;
  std::string_view m_name;
  const JsonPlace m_top{};
  object m_root;
  Run m_run;
};

}  // namespace

Result<Document> documentFromSamplesJson(std::string_view text, std::string_view fileForMessages) {
  OPSCOPE_TRY_ASSIGN(const JsonFile file, JsonFile::parse(text, fileForMessages, "a samples file"));
  return SamplesReader(file, fileForMessages).readDocument();
}

Result<std::shared_ptr<const Run>> runFromSamplesJson(std::string_view text,
                                                      std::string_view fileForMessages) {
  OPSCOPE_TRY_ASSIGN(const JsonFile file, JsonFile::parse(text, fileForMessages, "a samples file"));
  return SamplesReader(file, fileForMessages).read();
}

}  // namespace opscope::report
