// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/run_builder.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "engine/profile/call_matcher.h"

namespace opscope::profile {

namespace {

class Builder {
 public:
  Builder(const BuildInput& input, report::Run& run, RunPlaces& places)
      : m_input(input), m_run(run), m_places(places) {
    m_places.callOfRecord.assign(input.records.size(), report::kNone);
    m_ownNs.reserve(input.records.size());
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
  /// Returns the repeat's total. Of its records, ten million in long runs, only what cannot be computed again
  /// is kept: own times, and the number of the call in place of the call itself.
  double addRepeat(const RepeatMarks& marks) {
    m_keys.clear();
    m_recordOfKey.clear();
    m_firstOwn = m_ownNs.size();
    std::vector<double> startsNs;
    double offsetNs = 0;
    for (const StepMark& mark : marks) {
      startsNs.push_back(offsetNs);
      const std::size_t firstOfStep = m_ownNs.size();
      addStep(mark);
      double sumNs = 0;
      for (std::size_t i = firstOfStep; i < m_ownNs.size(); ++i) {
        sumNs += m_ownNs[i];
      }
      // Rounding short calls up to one tick must not make the parts larger than the whole.
      const double stepNs =
          std::max({m_input.scale.nsBetween(mark.beginTicks, mark.endTicks), sumNs, oneTickNs()});
      if (!m_run.stepNs.empty()) {
        m_run.stepNs[mark.step].push_back(stepNs);
      }
      offsetNs += stepNs;
    }
    const std::vector<std::uint32_t>& numbers = m_matcher.addRepeat(m_keys);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      m_places.callOfRecord[m_recordOfKey[i]] = numbers[i];
    }
    m_places.stepStartNs.push_back(std::move(startsNs));
    return offsetNs;
  }

  void addStep(const StepMark& mark) {
    m_open.clear();
    for (std::size_t at = mark.firstRecord; at < mark.endRecord; ++at) {
      const base::CallRecord& record = m_input.records.at(at);
      if (record.endTicks == 0) {
        continue;  // failed inside of a call that went on; how long it took is not known
      }
      const double ns = inclusiveNs(record);
      m_tooShort += m_input.scale.nsBetween(record.beginTicks, record.endTicks) < oneTickNs() ? 1 : 0;
      while (!m_open.empty() && m_keys[m_open.back()].depth >= record.depth) {
        m_open.pop_back();
      }
      if (!m_open.empty()) {
        double& own = m_ownNs[m_firstOwn + m_open.back()];
        own = std::max(own - ns, oneTickNs());
      }
      m_open.push_back(m_keys.size());
      m_keys.push_back({mark.step, record.instruction, record.function, record.shapes, record.depth, 0});
      m_recordOfKey.push_back(at);
      m_ownNs.push_back(ns);
    }
  }

  double inclusiveNs(const base::CallRecord& record) const {
    return std::max(m_input.scale.nsBetween(record.beginTicks, record.endTicks), oneTickNs());
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
      const std::string& name = m_input.functionName(key.function);
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
    countSamples();
    m_cursors.clear();
    std::uint64_t next = 0;
    for (report::Call& call : m_run.calls) {
      call.firstSample = next;
      m_cursors.push_back(next);
      next += call.sampleCount;
    }
    m_run.ownNs.resize(m_ownNs.size());
    m_run.inclusiveNs.resize(m_ownNs.size());
    m_run.sampleRepeat.resize(m_ownNs.size());
    m_run.spans.reserve(m_ownNs.size());
    for (std::uint32_t repeat = 0; repeat < m_input.repeats.size(); ++repeat) {
      const RepeatMarks& marks = m_input.repeats[repeat];
      for (std::size_t step = 0; step < marks.size(); ++step) {
        fillStep(marks[step], repeat, m_places.stepStartNs[repeat][step]);
      }
    }
  }

  void countSamples() {
    for (std::uint32_t& call : m_places.callOfRecord) {
      if (call != report::kNone) {
        call = m_place[call];
        ++m_run.calls[call].sampleCount;
      }
    }
  }

  void fillStep(const StepMark& mark, std::uint32_t repeat, double offsetNs) {
    for (std::size_t record = mark.firstRecord; record < mark.endRecord; ++record) {
      const std::uint32_t call = m_places.callOfRecord[record];
      if (call == report::kNone) {
        continue;
      }
      const base::CallRecord& recorded = m_input.records.at(record);
      const double startNs = offsetNs + m_input.scale.nsBetween(mark.beginTicks, recorded.beginTicks);
      const double durationNs = inclusiveNs(recorded);
      const std::uint64_t at = m_cursors[call]++;
      m_run.ownNs[at] = m_ownNs[m_filled++];
      m_run.inclusiveNs[at] = durationNs;
      m_run.sampleRepeat[at] = repeat;
      m_run.spans.push_back({startNs, durationNs, call, repeat});
    }
  }

  double oneTickNs() const { return m_input.scale.nsPerTick(); }

  const BuildInput& m_input;
  report::Run& m_run;
  RunPlaces& m_places;
  CallMatcher m_matcher;
  std::vector<double> m_ownNs;              // of all repeats, in order of the records
  std::size_t m_firstOwn = 0;               // of the repeat at hand
  std::size_t m_filled = 0;                 // own times that went to the run
  std::vector<CallMatcher::Key> m_keys;     // of the repeat at hand
  std::vector<std::size_t> m_recordOfKey;   // its position in the buffer
  std::vector<std::size_t> m_open;          // keys that enclose the one at hand, outermost first
  std::vector<std::uint64_t> m_cursors;     // by call: where its next sample goes
  std::vector<std::uint32_t> m_place;       // call's number to its index in Run::calls
  std::vector<std::uint32_t> m_shapeIndex;  // the recorder's shapes to Run::shapes
  std::vector<std::uint32_t> m_deviceOfShapes;
  std::uint64_t m_tooShort = 0;
};

}  // namespace

const std::string& BuildInput::functionName(std::uint32_t function) const {
  const std::size_t inTable = file.data->functions.size();
  return function < inTable ? file.data->functions[function].name : (*moreFunctions)[function - inTable];
}

std::uint64_t buildCalls(const BuildInput& input, report::Run& run, RunPlaces& places) {
  return Builder(input, run, places).build();
}

}  // namespace opscope::profile
