// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/run_builder.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "engine/profile/call_matcher.h"

namespace opscope::profile {

namespace {

/// One sample before samples are sorted by call.
struct Sample {
  std::uint32_t number = 0;  // of the call, in order of first sight
  std::size_t record = 0;    // its position in the buffer
  double startNs = 0;
  double inclusiveNs = 0;
  double ownNs = 0;
};

class Builder {
 public:
  Builder(const BuildInput& input, report::Run& run, RunPlaces& places)
      : m_input(input), m_run(run), m_places(places) {
    m_places.callOfRecord.assign(input.records.size(), report::kNone);
  }

  std::uint64_t build() {
    m_run.stepNs.resize(m_input.stepCount > 1 ? m_input.stepCount : 0);
    std::vector<double> totals;
    for (const RepeatMarks& marks : m_input.repeats) {
      totals.push_back(addRepeat(marks));
    }
    m_run.repeats = static_cast<std::uint32_t>(m_input.repeats.size());
    m_run.devices = m_input.devices;
    for (const std::string& device : m_input.devices) {
      m_run.totals.push_back({device, totals});
    }
    makeCalls();
    fillSamples();
    return m_tooShort;
  }

 private:
  /// Returns the repeat's total.
  double addRepeat(const RepeatMarks& marks) {
    std::vector<CallMatcher::Key> keys;
    std::vector<Sample> samples;
    std::vector<double> startsNs;
    double offsetNs = 0;
    for (const StepMark& mark : marks) {
      startsNs.push_back(offsetNs);
      const std::size_t firstOfStep = samples.size();
      addStep(mark, offsetNs, keys, samples);
      double sumNs = 0;
      for (std::size_t i = firstOfStep; i < samples.size(); ++i) {
        sumNs += samples[i].ownNs;
      }
      // Rounding short calls up to one tick must not make the parts larger than the whole.
      const double stepNs =
          std::max({m_input.scale.nsBetween(mark.beginTicks, mark.endTicks), sumNs, oneTickNs()});
      if (!m_run.stepNs.empty()) {
        m_run.stepNs[mark.step].push_back(stepNs);
      }
      offsetNs += stepNs;
    }
    const std::vector<std::uint32_t> numbers = m_matcher.addRepeat(keys);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      samples[i].number = numbers[i];
    }
    m_samples.push_back(std::move(samples));
    m_places.stepStartNs.push_back(std::move(startsNs));
    return offsetNs;
  }

  void addStep(const StepMark& mark, double offsetNs, std::vector<CallMatcher::Key>& keys,
               std::vector<Sample>& samples) {
    std::vector<std::size_t> open;  // samples that enclose the one at hand, outermost first
    for (std::size_t at = mark.firstRecord; at < mark.endRecord; ++at) {
      const base::CallRecord& record = m_input.records.at(at);
      if (record.endTicks == 0) {
        continue;  // failed inside of a call that went on; how long it took is not known
      }
      double ns = m_input.scale.nsBetween(record.beginTicks, record.endTicks);
      if (ns < oneTickNs()) {
        ns = oneTickNs();
        ++m_tooShort;
      }
      while (!open.empty() && keys[open.back()].depth >= record.depth) {
        open.pop_back();
      }
      if (!open.empty()) {
        double& own = samples[open.back()].ownNs;
        own = std::max(own - ns, oneTickNs());
      }
      open.push_back(samples.size());
      keys.push_back({mark.step, record.instruction, record.function, record.shapes, record.depth, 0});
      samples.push_back(
          {0, at, offsetNs + m_input.scale.nsBetween(mark.beginTicks, record.beginTicks), ns, ns});
    }
  }

  void makeCalls() {
    std::unordered_set<std::string_view> kernels;
    for (const vm::KernelInfo& kernel : m_input.file.kernels) {
      kernels.insert(kernel.name);
    }
    std::unordered_map<std::uint32_t, std::uint32_t> names;  // function to index in Run::names
    const std::vector<std::uint32_t> order = m_matcher.order();
    m_place.resize(order.size());
    addShapes();
    for (const std::uint32_t number : order) {
      const CallMatcher::Key& key = m_matcher.calls()[number];
      const std::string& name = m_input.file.data->functions[key.function].name;
      const auto [entry, isNew] =
          names.try_emplace(key.function, static_cast<std::uint32_t>(m_run.names.size()));
      if (isNew) {
        m_run.names.push_back(name);
      }
      report::Call call;
      call.name = entry->second;
      call.inReport = key.shapes != base::kNoShapes;
      call.shapes = call.inReport ? m_shapeIndex[key.shapes] : report::kNone;
      call.device = call.inReport ? m_deviceOfShapes[key.shapes] : report::kNone;
      call.instruction = key.instruction;
      call.depth = key.depth;
      call.step = key.step;
      call.kernel = kernels.contains(name);
      m_place[number] = static_cast<std::uint32_t>(m_run.calls.size());
      m_run.calls.push_back(call);
    }
  }

  /// The recorder tells shapes on several devices apart; the run's texts do not.
  void addShapes() {
    std::unordered_map<std::string, std::uint32_t> known;
    const ShapeTable& table = m_input.shapes;
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      const auto [entry, isNew] =
          known.try_emplace(table.text(i), static_cast<std::uint32_t>(m_run.shapes.size()));
      if (isNew) {
        m_run.shapes.push_back(entry->first);
      }
      m_shapeIndex.push_back(entry->second);
      m_deviceOfShapes.push_back(deviceIndex(table.device(i)));
    }
  }

  std::uint32_t deviceIndex(const std::string& device) {
    const auto place = std::ranges::find(m_run.devices, device);
    const auto index = static_cast<std::uint32_t>(place - m_run.devices.begin());
    if (place == m_run.devices.end()) {
      m_run.devices.push_back(device);
    }
    return index;
  }

  /// Sorts samples by call, within a call by repeat; spans keep the order of execution.
  void fillSamples() {
    std::size_t total = 0;
    for (const std::vector<Sample>& samples : m_samples) {
      for (const Sample& sample : samples) {
        ++m_run.calls[m_place[sample.number]].sampleCount;
      }
      total += samples.size();
    }
    std::uint64_t next = 0;
    std::vector<std::uint64_t> cursors;
    for (report::Call& call : m_run.calls) {
      call.firstSample = next;
      cursors.push_back(next);
      next += call.sampleCount;
    }
    m_run.ownNs.resize(total);
    m_run.inclusiveNs.resize(total);
    m_run.sampleRepeat.resize(total);
    m_run.spans.reserve(total);
    for (std::uint32_t repeat = 0; repeat < m_samples.size(); ++repeat) {
      for (const Sample& sample : m_samples[repeat]) {
        const std::uint32_t call = m_place[sample.number];
        const std::uint64_t at = cursors[call]++;
        m_places.callOfRecord[sample.record] = call;
        m_run.ownNs[at] = sample.ownNs;
        m_run.inclusiveNs[at] = sample.inclusiveNs;
        m_run.sampleRepeat[at] = repeat;
        m_run.spans.push_back({sample.startNs, sample.inclusiveNs, call, repeat});
      }
    }
  }

  double oneTickNs() const { return m_input.scale.nsPerTick(); }

  const BuildInput& m_input;
  report::Run& m_run;
  RunPlaces& m_places;
  CallMatcher m_matcher;
  std::vector<std::vector<Sample>> m_samples;  // by repeat
  std::vector<std::uint32_t> m_place;          // call's number to its index in Run::calls
  std::vector<std::uint32_t> m_shapeIndex;     // the recorder's shapes to Run::shapes
  std::vector<std::uint32_t> m_deviceOfShapes;
  std::uint64_t m_tooShort = 0;
};

}  // namespace

std::uint64_t buildCalls(const BuildInput& input, report::Run& run, RunPlaces& places) {
  return Builder(input, run, places).build();
}

}  // namespace opscope::profile
