// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/report/counters_json.h"
#include "engine/report/field_reader.h"
#include "engine/report/head_json.h"
#include "engine/report/samples_json.h"

namespace opscope::report {

namespace {

using base::Result;
using simdjson::dom::array;
using simdjson::dom::object;

/// Reads one file into one Run. Every index that the rest of the program follows is checked here.
class SamplesReader : FieldReader {
 public:
  SamplesReader(const JsonFile& file, std::string_view name) : FieldReader(file), m_name(name) {}

  Result<std::shared_ptr<Run>> read() {
    OPSCOPE_TRY_ASSIGN(m_root, m_file.object(m_file.root(), m_top));
    OPSCOPE_TRY(readHead(m_file, m_root, m_name, m_run));
    OPSCOPE_TRY(readCalls());
    OPSCOPE_TRY(readSpans());
    OPSCOPE_TRY(readHeadExtras(m_file, m_root, m_run));
    return std::make_shared<Run>(std::move(m_run));
  }

  Result<Document> readDocument() {
    OPSCOPE_TRY_ASSIGN(std::shared_ptr<Run> run, read());
    return readHeadReport(m_file, m_root, std::move(run));
  }

 private:
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
    OPSCOPE_TRY_ASSIGN(call.depth, index(fields, "depth", place, kMostDepth));
    OPSCOPE_TRY_ASSIGN(call.step, index(fields, "step", place, m_run.steps.size()));
    OPSCOPE_TRY_ASSIGN(call.inReport, flag(fields, "inReport", place));
    OPSCOPE_TRY_ASSIGN(call.kernel, flag(fields, "kernel", place));
    call.firstSample = m_run.ownNs.size();
    OPSCOPE_TRY(readRepeats(fields, place));
    call.sampleCount = static_cast<std::uint32_t>(m_run.sampleRepeat.size() - call.firstSample);
    OPSCOPE_TRY(readTimes(fields, "ownNs", place, call.sampleCount, m_run.ownNs));
    OPSCOPE_TRY(readTimes(fields, "inclusiveNs", place, call.sampleCount, m_run.inclusiveNs));
    JsonElement counters;
    const bool counted = fields.at_key("counters").get(counters) == simdjson::SUCCESS;
    OPSCOPE_TRY(readCallCounters(m_file, counted ? &counters : nullptr, place.member("counters"),
                                 call.sampleCount, m_run.counters));
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
  OPSCOPE_TRY_ASSIGN(std::shared_ptr<Run> run, SamplesReader(file, fileForMessages).read());
  return std::shared_ptr<const Run>(std::move(run));
}

}  // namespace opscope::report
