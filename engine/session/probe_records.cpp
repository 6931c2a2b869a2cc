// SPDX-License-Identifier: Apache-2.0
#include "engine/session/probe_records.h"

#include <fmt/format.h>
#include <tvm/ffi/c_api.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace opscope::session {

namespace {

base::Error damaged(std::string detail) {
  return {base::ErrorCode::Format, "The probe's report is damaged.", std::move(detail), ""};
}

/// Takes values from the front of bytes; `ok` says whether there were enough.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : m_rest(bytes) {}

  template <class T>
  bool take(T* out, std::uint64_t count) {
    if (count > m_rest.size() / sizeof(T)) {
      return false;
    }
    if (count > 0) {
      std::memcpy(out, m_rest.data(), count * sizeof(T));
      m_rest.remove_prefix(count * sizeof(T));
    }
    return true;
  }
  template <class T>
  bool take(std::vector<T>& out, std::uint64_t count) {
    if (count > m_rest.size() / sizeof(T)) {
      return false;
    }
    out.resize(count);
    return take(out.data(), count);
  }
  bool take(std::string_view& out, std::uint64_t bytes) {
    if (bytes > m_rest.size()) {
      return false;
    }
    out = m_rest.substr(0, bytes);
    m_rest.remove_prefix(bytes);
    return true;
  }
  std::size_t left() const { return m_rest.size(); }

 private:
  std::string_view m_rest;
};

/// The words of one list of tensors are well formed: no rank beyond what is there.
bool areShapeWords(const std::vector<std::int64_t>& words) {
  std::size_t at = 0;
  while (at < words.size()) {
    const std::int64_t rank = words[at] >> 32;
    if (rank < 0 || static_cast<std::uint64_t>(rank) + 2 > words.size() - at) {
      return false;
    }
    at += 2 + static_cast<std::size_t>(rank);
  }
  return !words.empty();
}

base::Result<> readShapes(Reader& reader, ProbeReport& report) {
  std::vector<base::ProbeShapes> places;
  std::vector<std::int64_t> words;
  if (!reader.take(places, report.header.shapes) || !reader.take(words, report.header.shapeWords)) {
    return damaged(fmt::format("It ends before its {} shapes.", report.header.shapes));
  }
  for (const base::ProbeShapes& place : places) {
    if (place.first > words.size() || place.count > words.size() - place.first) {
      return damaged("A shape lies outside of its words.");
    }
    const auto first = words.begin() + place.first;
    report.shapes.emplace_back(first, first + place.count);
    if (!areShapeWords(report.shapes.back())) {
      return damaged("The words of a shape are no tensors.");
    }
  }
  return {};
}

base::Result<> readNames(Reader& reader, ProbeReport& report) {
  for (std::uint32_t i = 0; i < report.header.names; ++i) {
    std::uint32_t size = 0;
    if (!reader.take(&size, 1) || !reader.take(report.names.emplace_back(), size)) {
      return damaged(fmt::format("It ends in name {} of {}.", i + 1, report.header.names));
    }
  }
  return {};
}

base::Result<> checkRecords(const ProbeReport& report) {
  for (const base::CallRecord& record : report.records) {
    if (record.function >= report.names.size()) {
      return damaged(fmt::format("A call names function {} of {}.", record.function, report.names.size()));
    }
    if (record.shapes != base::kNoShapes && record.shapes >= report.shapes.size()) {
      return damaged(fmt::format("A call names shapes {} of {}.", record.shapes, report.shapes.size()));
    }
    if (record.instruction > base::kProbeMostPlaces) {
      return damaged(fmt::format("A call is made from place {}.", record.instruction));
    }
    if (record.depth >= base::kProbeMostDepth) {
      return damaged(fmt::format("A call lies {} calls deep.", record.depth));
    }
    if (record.endTicks != 0 && record.endTicks < record.beginTicks) {
      return damaged("A call ends before it begins.");
    }
  }
  std::uint64_t next = 0;
  for (const base::ProbeMark& mark : report.marks) {
    if (mark.firstRecord < next || mark.endRecord < mark.firstRecord ||
        mark.endRecord > report.records.size() || mark.endNs < mark.beginNs) {
      return damaged(fmt::format("A step holds calls {} to {} of {}.", mark.firstRecord, mark.endRecord,
                                 report.records.size()));
    }
    next = mark.endRecord;
  }
  return {};
}

}  // namespace

base::Result<ProbeReport> readProbeReport(std::string_view bytes) {
  ProbeReport report;
  Reader reader(bytes);
  if (!reader.take(&report.header, 1) || report.header.magic != base::kProbeMagic) {
    return damaged(fmt::format("{} bytes came, which do not begin with the probe's mark.", bytes.size()));
  }
  if (report.header.version != base::kProbeVersion) {
    return base::Error{
        base::ErrorCode::Unsupported, "The probe on the board is of another version.",
        fmt::format("Its layout is {}, this program's is {}.", report.header.version, base::kProbeVersion),
        ""};
  }
  if (!reader.take(report.records, report.header.records) ||
      !reader.take(report.marks, report.header.marks)) {
    return damaged(
        fmt::format("It ends before its {} calls and {} steps.", report.header.records, report.header.marks));
  }
  OPSCOPE_TRY(readShapes(reader, report));
  OPSCOPE_TRY(readNames(reader, report));
  if (reader.left() != 0) {
    return damaged(fmt::format("{} bytes follow its end.", reader.left()));
  }
  OPSCOPE_TRY(checkRecords(report));
  return report;
}

base::Result<base::ProbeSlots> readProbeSlots(std::string_view bytes) {
  base::ProbeSlots slots;
  Reader reader(bytes);
  if (!reader.take(&slots, 1) || reader.left() != 0 || slots.magic != base::kProbeMagic ||
      slots.version != base::kProbeVersion) {
    return damaged(fmt::format("{} bytes came, which do not tell of slots.", bytes.size()));
  }
  return slots;
}

InstructionFinder::Frame InstructionFinder::startOf(std::int64_t function) const {
  if (function < 0 || function >= static_cast<std::int64_t>(m_data.functions.size()) ||
      m_data.functions[static_cast<std::size_t>(function)].kind != vm::FunctionKind::Bytecode) {
    return {};  // a builtin may call a closure
  }
  const vm::FunctionEntry& entry = m_data.functions[static_cast<std::size_t>(function)];
  return {false, {static_cast<std::uint32_t>(entry.startInstruction)}, {}};
}

InstructionFinder::Places InstructionFinder::allStarts() const {
  Places places;
  for (const vm::FunctionEntry& entry : m_data.functions) {
    if (entry.kind == vm::FunctionKind::Bytecode) {
      places.push_back(static_cast<std::uint32_t>(entry.startInstruction));
    }
  }
  return places;
}

double markedNs(const ProbeReport& report) {
  double ns = 0;
  for (const base::ProbeMark& mark : report.marks) {
    ns += mark.endNs > mark.beginNs ? static_cast<double>(mark.endNs - mark.beginNs) : 0;
  }
  return ns;
}

void InstructionFinder::beginStep(std::int64_t entry) {
  m_calls.clear();
  m_frames.assign(1, startOf(entry));
}

InstructionFinder::Places InstructionFinder::callsFrom(Places places, std::int64_t function) const {
  using Op = vm::Instruction::Op;
  Places found;
  Places seen;  // only jumps come back to where they were, and there are few between two calls
  while (!places.empty()) {
    const std::uint32_t at = places.back();
    places.pop_back();
    if (at >= m_data.instructions.size() || std::ranges::find(seen, at) != seen.end()) {
      continue;
    }
    seen.push_back(at);
    const vm::Instruction& instruction = m_data.instructions[at];
    const auto jump = static_cast<std::uint32_t>(static_cast<std::int64_t>(at) + instruction.offset);
    switch (instruction.op) {
      case Op::Call:
        if (instruction.function == function) {
          found.push_back(at);
        }
        break;
      case Op::Goto:
        places.push_back(jump);
        break;
      case Op::If:
        places.push_back(at + 1);
        places.push_back(jump);
        break;
      case Op::Ret:
        break;
    }
  }
  std::ranges::sort(found);
  return found;
}

void InstructionFinder::add(std::uint32_t depth, std::int64_t function) {
  for (; m_frames.size() > std::size_t{depth} + 1; m_frames.pop_back()) {
    close(m_frames.back());
  }
  m_frames.resize(std::size_t{depth} + 1);  // those of callees that are not known
  Frame& frame = m_frames.back();
  Places calls = callsFrom(frame.anywhere ? allStarts() : std::move(frame.next), function);
  frame.anywhere = false;
  frame.next = calls;
  std::ranges::for_each(frame.next, [](std::uint32_t& place) { ++place; });
  frame.calls.push_back(m_calls.size());
  m_calls.push_back({function, std::move(calls)});
  m_frames.push_back(startOf(function));
}

void InstructionFinder::close(const Frame& frame) {
  for (std::size_t i = frame.calls.size(); i-- > 0;) {
    Places& places = m_calls[frame.calls[i]].places;
    if (places.size() < 2) {
      continue;
    }
    std::uint32_t kept = places.front();
    if (i + 1 < frame.calls.size() && !m_calls[frame.calls[i + 1]].places.empty()) {
      const Call& after = m_calls[frame.calls[i + 1]];
      for (const std::uint32_t place : places) {
        const Places next = callsFrom({place + 1}, after.function);
        if (std::ranges::binary_search(next, after.places.front())) {
          kept = place;
          break;
        }
      }
    }
    places = {kept};
  }
}

std::vector<std::uint32_t> InstructionFinder::endStep() {
  for (; !m_frames.empty(); m_frames.pop_back()) {
    close(m_frames.back());
  }
  std::vector<std::uint32_t> instructions;
  for (const Call& call : m_calls) {
    instructions.push_back(call.places.empty() ? 0 : call.places.front());
  }
  return instructions;
}

ProbeRecords::ProbeRecords(const vm::ExecutableData& data) : m_data(data), m_finder(data), m_shapes(0) {}

std::uint32_t ProbeRecords::functionOf(std::string_view name) {
  if (const auto known = m_functions.find(name); known != m_functions.end()) {
    return known->second;
  }
  const std::int64_t inTable = vm::findFunction(m_data, name);
  std::uint32_t function = static_cast<std::uint32_t>(inTable);
  if (inTable < 0) {
    function = static_cast<std::uint32_t>(m_data.functions.size() + m_moreFunctions.size());
    m_moreFunctions.emplace_back(name);
  }
  m_functions.emplace(name, function);
  return function;
}

std::uint32_t ProbeRecords::shapesOf(const std::vector<std::int64_t>& words) {
  struct Cell {
    TVMFFIObject header{};
    DLTensor tensor{};
  };
  std::vector<Cell> cells;
  for (std::size_t at = 0; at < words.size(); at += 2 + static_cast<std::size_t>(words[at] >> 32)) {
    DLTensor& tensor = cells.emplace_back().tensor;
    const std::int64_t type = words[at];
    tensor.dtype = {static_cast<std::uint8_t>(type), static_cast<std::uint8_t>(type >> 8),
                    static_cast<std::uint16_t>(type >> 16)};
    tensor.ndim = static_cast<std::int32_t>(type >> 32);
    tensor.device = {static_cast<DLDeviceType>(words[at + 1] & 0xFFFFFFFF),
                     static_cast<std::int32_t>(words[at + 1] >> 32)};
    tensor.shape = const_cast<std::int64_t*>(words.data() + at + 2);  // only read
  }
  std::vector<TVMFFIAny> values(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    values[i].type_index = kTVMFFITensor;
    values[i].v_obj = &cells[i].header;
  }
  constexpr std::uint32_t kNoInstruction = std::numeric_limits<std::uint32_t>::max();
  return m_shapes.indexOf(kNoInstruction, values.data(), static_cast<std::int32_t>(values.size()));
}

std::vector<std::uint32_t> ProbeRecords::instructionsOf(const ProbeReport& report,
                                                        const base::ProbeMark& mark, std::int64_t entry,
                                                        const std::vector<std::uint32_t>& functions) {
  m_finder.beginStep(entry);
  for (std::uint64_t at = mark.firstRecord; at < mark.endRecord; ++at) {
    m_finder.add(report.records[at].depth, functions[report.records[at].function]);
  }
  return m_finder.endStep();
}

base::Result<> ProbeRecords::addRepeat(const ProbeReport& report, const std::vector<std::int64_t>& entries) {
  if (report.marks.size() != entries.size()) {
    return damaged(fmt::format("It holds {} steps of {}.", report.marks.size(), entries.size()));
  }
  std::vector<std::uint32_t> functions;
  std::ranges::transform(report.names, std::back_inserter(functions),
                         [this](std::string_view name) { return functionOf(name); });
  std::vector<std::uint32_t> shapes;
  std::ranges::transform(report.shapes, std::back_inserter(shapes),
                         [this](const auto& words) { return shapesOf(words); });
  profile::RepeatMarks marks;
  for (std::size_t step = 0; step < entries.size(); ++step) {
    const base::ProbeMark& mark = report.marks[step];
    if (mark.step != step) {
      return damaged(fmt::format("Step {} stands where {} belongs.", mark.step, step));
    }
    const std::vector<std::uint32_t> instructions = instructionsOf(report, mark, entries[step], functions);
    const std::size_t first = m_records.size();
    for (std::uint64_t at = mark.firstRecord; at < mark.endRecord; ++at) {
      base::CallRecord record = report.records[at];
      record.function = functions[record.function];
      // Places in machine code come after the instructions, as profile::CompiledCalls counts them.
      record.instruction = record.instruction == 0 ? instructions[at - mark.firstRecord]
                                                   : static_cast<std::uint32_t>(m_data.instructions.size()) +
                                                         record.instruction - 1;
      record.shapes = record.shapes == base::kNoShapes ? base::kNoShapes : shapes[record.shapes];
      m_records.append() = record;
    }
    marks.push_back({static_cast<std::uint32_t>(step), mark.beginNs, mark.endNs, first, m_records.size()});
  }
  m_repeats.push_back(std::move(marks));
  return {};
}

}  // namespace opscope::session
