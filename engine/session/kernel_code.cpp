// SPDX-License-Identifier: Apache-2.0
#include "engine/session/kernel_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "engine/runtime/elf_image.h"
#include "engine/runtime/elf_names.h"
#include "engine/session/code_file.h"

namespace opscope::session {

namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using code::MachineInstruction;
using Flow = MachineInstruction::Flow;
using Work = MachineInstruction::Work;

constexpr std::size_t kMostFunctions = 24;
constexpr std::size_t kMostLines = 200000;
constexpr std::uint64_t kStubBytes = 24;
constexpr std::uint64_t kMostUnknownBytes = std::uint64_t{1} << 20;

/// Names under which compilers of TVM export a function of the table.
std::vector<std::string> symbolsOf(const std::string& function) {
  return {"__tvm_ffi_" + function, function, "__vmtir__" + function, "__tvm_ffi___vmtir__" + function};
}

std::string widest(const std::vector<MachineLine>& lines, code::Machine machine) {
  bool ymm = false;
  bool xmm = false;
  bool lanes = false;
  for (const MachineLine& line : lines) {
    const std::string& text = line.instruction.operands;
    if (machine == code::Machine::Aarch64) {
      lanes = lanes || line.instruction.work == Work::Vector;
      continue;
    }
    if (text.find("%zmm") != std::string::npos) {
      return "AVX-512";
    }
    ymm = ymm || text.find("%ymm") != std::string::npos;
    xmm = xmm || text.find("%xmm") != std::string::npos;
  }
  return ymm ? "AVX" : xmm ? "SSE" : lanes ? "NEON" : "";
}

class KernelReader {
 public:
  KernelReader(const runtime::ElfImage& image, code::Machine machine)
      : m_image(image), m_machine(machine), m_names(runtime::namesOf(image)) {}

  const runtime::ElfNames& names() const { return m_names; }

  Result<std::vector<MachineFunction>> read(const runtime::NamedPlace& entry) {
    m_queue.push_back({entry, MachineFunction::Role::Entry});
    m_known.insert(entry.address);
    std::vector<MachineFunction> functions;
    for (std::size_t next = 0; next < m_queue.size() && functions.size() < kMostFunctions; ++next) {
      const Wanted wanted = m_queue[next];
      OPSCOPE_TRY_ASSIGN(MachineFunction function, readFunction(wanted));
      functions.push_back(std::move(function));
    }
    return functions;
  }

 private:
  struct Wanted {
    runtime::NamedPlace place;
    MachineFunction::Role role = MachineFunction::Role::Body;
  };

  Result<MachineFunction> readFunction(const Wanted& wanted) {
    MachineFunction function;
    function.name = wanted.place.name;
    function.role = wanted.role;
    function.address = wanted.place.address;
    const std::uint64_t size = sizeOf(wanted.place);
    OPSCOPE_TRY_ASSIGN(
        std::vector<MachineInstruction> instructions,
        code::disassemble(m_machine, m_image.bytesAt(function.address, size), function.address, kMostLines));
    std::unordered_map<std::uint64_t, std::int64_t> lineAt;
    for (MachineInstruction& instruction : instructions) {
      lineAt.emplace(instruction.address, static_cast<std::int64_t>(function.lines.size()));
      function.bytes += instruction.size;
      function.vectorCount += instruction.work == Work::Vector ? 1 : 0;
      function.scalarCount += instruction.work == Work::Scalar ? 1 : 0;
      function.lines.push_back({std::move(instruction), {}, -1});
    }
    function.isCut = function.bytes < size && function.lines.size() == kMostLines;
    for (MachineLine& line : function.lines) {
      link(line, lineAt);
    }
    function.registers = widest(function.lines, m_machine);
    return function;
  }

  /// Up to the next name where the symbol does not tell.
  std::uint64_t sizeOf(const runtime::NamedPlace& place) const {
    if (place.size > 0) {
      return place.size;
    }
    const auto after =
        std::ranges::upper_bound(m_names.places, place.address, {}, &runtime::NamedPlace::address);
    return after == m_names.places.end() ? kMostUnknownBytes
                                         : std::min(after->address - place.address, kMostUnknownBytes);
  }

  void link(MachineLine& line, const std::unordered_map<std::uint64_t, std::int64_t>& lineAt) {
    const MachineInstruction& instruction = line.instruction;
    if (instruction.target != 0) {
      if (const auto target = lineAt.find(instruction.target); target != lineAt.end()) {
        line.targetLine = target->second;
        return;
      }
      if (const runtime::NamedPlace* place = m_names.at(instruction.target)) {
        line.note = place->name;
        want(*place, MachineFunction::Role::Body);
      } else if (instruction.flow == Flow::Call || instruction.flow == Flow::Jump) {
        line.note = stubName(instruction.target);
      }
    }
    if (instruction.reference == 0) {
      return;
    }
    if (const runtime::NamedPlace* place = m_names.at(instruction.reference)) {
      line.note = place->name;
      // A function whose address is taken is what a launch over the threads is given.
      if (instruction.flow == Flow::Next) {
        want(*place, MachineFunction::Role::ParallelPart);
      }
    } else if (const auto slot = m_names.slots.find(instruction.reference); slot != m_names.slots.end()) {
      line.note = slot->second;
    }
  }

  void want(const runtime::NamedPlace& place, MachineFunction::Role role) {
    // Other kernels are shown by themselves.
    if (!place.function || !m_known.insert(place.address).second || place.name.starts_with("__tvm_ffi_")) {
      return;
    }
    const bool helper =
        place.name.starts_with("__tvm_set_raised") || place.name.starts_with("__tvm_func_handle_init");
    m_queue.push_back({place, helper ? MachineFunction::Role::Helper : role});
  }

  /// Whom a stub (PLT) leads to: it jumps through a slot that the loader fills by name.
  std::string stubName(std::uint64_t address) const {
    const auto stub = code::disassemble(m_machine, m_image.bytesAt(address, kStubBytes), address, 3);
    if (!stub) {
      return {};
    }
    for (const MachineInstruction& instruction : *stub) {
      if (const auto slot = m_names.slots.find(instruction.reference); slot != m_names.slots.end()) {
        return std::string(slot->second);
      }
      if (instruction.flow == Flow::Jump) {
        break;
      }
    }
    return {};
  }

  const runtime::ElfImage& m_image;
  code::Machine m_machine;
  runtime::ElfNames m_names;
  std::vector<Wanted> m_queue;
  std::unordered_set<std::uint64_t> m_known;
};

Error noSymbol(const std::string& path, const std::string& function) {
  if (function.starts_with("vm.builtin.")) {
    return {ErrorCode::NotFound,
            fmt::format("{} is a builtin of the virtual machine: the file holds no code of it", function),
            {},
            {}};
  }
  return {ErrorCode::NotFound, fmt::format("{} has no machine code of {}", path, function),
          fmt::format("It exports neither __tvm_ffi_{} nor {}.", function, function),
          "functions that the host registers and those of device modules are not in the library's code"};
}

std::string noteOf(const vm::ExecutableFile& file, const runtime::ElfNames& names) {
  std::string note;
  if (!names.hasLocalNames) {
    note = "The file is stripped: functions that the kernel calls within it have no names and are not shown.";
  }
  for (const std::string& kind : file.moduleKinds) {
    if (kind != "_lib" && !kind.starts_with("relax.")) {
      note += fmt::format("{}This is the code for the host; the file's {} code is not shown.",
                          note.empty() ? "" : " ", kind);
    }
  }
  return note;
}

}  // namespace

std::size_t KernelCode::main() const {
  std::size_t best = 0;
  for (std::size_t i = 1; i < functions.size(); ++i) {
    // Helpers of the compiler, such as conversions of float16, may be larger than the kernel.
    const bool works = functions[i].role == MachineFunction::Role::ParallelPart ||
                       functions[i].name.find(kernel) != std::string::npos;
    if (works && (best == 0 || functions[i].bytes > functions[best].bytes)) {
      best = i;
    }
  }
  return best;
}

Result<std::shared_ptr<const KernelCode>> readKernelCode(const std::string& path,
                                                         const std::string& expectedHash,
                                                         const std::string& function) {
  OPSCOPE_TRY_ASSIGN(const CodeFile read, readCodeFile(path, expectedHash));
  const std::optional<code::Machine> machine = code::machineOf(read.file.architecture);
  if (!machine) {
    return Error{ErrorCode::Unsupported,
                 fmt::format("{} is built for {}, whose code cannot be shown", path, read.file.architecture),
                 "x86-64 and aarch64 can be shown.",
                 {}};
  }
  OPSCOPE_TRY_ASSIGN(const runtime::ElfImage image, runtime::ElfImage::parse(read.file.content, path));
  KernelReader reader(image, *machine);
  const runtime::NamedPlace* entry = nullptr;
  for (const std::string& symbol : symbolsOf(function)) {
    entry = entry != nullptr ? entry : reader.names().find(symbol);
  }
  if (entry == nullptr || !entry->function) {
    return noSymbol(path, function);
  }
  auto code = std::make_shared<KernelCode>();
  code->kernel = function;
  code->architecture = read.file.architecture;
  OPSCOPE_TRY_ASSIGN(code->functions, reader.read(*entry));
  code->note = noteOf(read.file, reader.names());
  return std::shared_ptr<const KernelCode>(std::move(code));
}

}  // namespace opscope::session
