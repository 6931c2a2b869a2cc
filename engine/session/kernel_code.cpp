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

/// Without a condition; of both machines.
bool isPlainJump(std::string_view mnemonic) {
  return mnemonic == "jmp" || mnemonic == "b";
}

class KernelReader {
 public:
  KernelReader(const runtime::ElfImage& image, code::Machine machine)
      : m_image(image), m_machine(machine), m_names(runtime::namesOf(image)) {}

  const runtime::ElfNames& names() const { return m_names; }

  Result<std::vector<MachineFunction>> read(const runtime::NamedPlace& entry) {
    m_code = m_names.codeAt(entry.address);
    m_queue.push_back({std::string(entry.name), entry.address, entry.size, MachineFunction::Role::Entry});
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
    std::string name;
    std::uint64_t address = 0;
    std::uint64_t size = 0;  ///< 0: no symbol tells it
    MachineFunction::Role role = MachineFunction::Role::Body;
  };

  struct Caller {
    std::string_view name;
    bool launches = false;  ///< over the threads
  };

  Result<MachineFunction> readFunction(const Wanted& wanted) {
    MachineFunction function;
    function.name = wanted.name;
    function.role = wanted.role;
    function.address = wanted.address;
    const std::uint64_t size = wanted.size > 0 ? wanted.size : spaceAt(wanted.address);
    OPSCOPE_TRY_ASSIGN(
        std::vector<MachineInstruction> instructions,
        code::disassemble(m_machine, m_image.bytesAt(function.address, size), function.address, kMostLines));
    const bool hasEnd = wanted.size == 0 && cutAtEnd(instructions);
    std::unordered_map<std::uint64_t, std::int64_t> lineAt;
    for (MachineInstruction& instruction : instructions) {
      lineAt.emplace(instruction.address, static_cast<std::int64_t>(function.lines.size()));
      function.bytes += instruction.size;
      function.vectorCount += instruction.work == Work::Vector ? 1 : 0;
      function.scalarCount += instruction.work == Work::Scalar ? 1 : 0;
      function.lines.push_back({std::move(instruction), {}, -1});
    }
    function.isCut = !hasEnd && function.bytes < size && function.lines.size() == kMostLines;
    const bool launches = std::ranges::any_of(
        function.lines, [this](const MachineLine& line) { return isLaunch(line.instruction); });
    for (MachineLine& line : function.lines) {
      link(line, lineAt, Caller{function.name, launches});
    }
    function.registers = widest(function.lines, m_machine);
    return function;
  }

  /// Up to the next place where something else is known to begin, and to the end of the section at most.
  std::uint64_t spaceAt(std::uint64_t address) const {
    std::uint64_t end = address + std::min(kMostUnknownBytes, ~address);
    if (const runtime::NamedPlace* next = m_names.after(address)) {
      end = std::min(end, next->address);
    }
    if (const runtime::CodeRange* code = m_names.codeAt(address)) {
      end = std::min(end, code->end);
    }
    for (const std::uint64_t known : m_known) {
      end = known > address ? std::min(end, known) : end;
    }
    return end - address;
  }

  /// Takes off what follows the function: it ends at a return, or at a jump that is always made, past which
  /// no jump before it leads. False, and nothing taken off, when no such place is there.
  static bool cutAtEnd(std::vector<MachineInstruction>& instructions) {
    if (instructions.empty()) {
      return false;
    }
    const std::uint64_t limit = instructions.back().address + instructions.back().size;
    std::uint64_t furthest = 0;
    for (std::size_t i = 0; i < instructions.size(); ++i) {
      const MachineInstruction& one = instructions[i];
      // One that leads out of here calls another function last.
      if (one.flow == Flow::Jump && one.target < limit) {
        furthest = std::max(furthest, one.target);
      }
      const bool always = one.flow == Flow::Return ||
                          (one.flow == Flow::Jump && one.target != 0 && isPlainJump(one.mnemonic));
      if (always && furthest <= one.address) {
        instructions.resize(i + 1);
        return true;
      }
    }
    return false;
  }

  void link(MachineLine& line, const std::unordered_map<std::uint64_t, std::int64_t>& lineAt,
            const Caller& caller) {
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
        if (line.note.empty()) {
          line.note = wantUnnamed(instruction.target, caller, MachineFunction::Role::Body);
        }
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
    } else if (instruction.flow == Flow::Next && !lineAt.contains(instruction.reference)) {
      line.note =
          wantUnnamed(instruction.reference, caller,
                      caller.launches ? MachineFunction::Role::ParallelPart : MachineFunction::Role::Body);
    }
  }

  /// Compilers leave out the names of parts that only their own file uses. Such a part is told by where it
  /// begins, which must be among the kernel's own code, outside what symbols cover. Returns its name, empty
  /// when nothing begins there.
  std::string wantUnnamed(std::uint64_t address, const Caller& from, MachineFunction::Role role) {
    if (m_code == nullptr || address < m_code->begin || address >= m_code->end || isCovered(address)) {
      return {};
    }
    const auto [known, isNew] = m_unnamed.try_emplace(address);
    if (isNew) {
      // A part of a part is told by the function with a name that it belongs to.
      known->second = fmt::format("{} · {} at {:#x}", from.name.substr(0, from.name.find(" · ")),
                                  role == MachineFunction::Role::Body ? "function" : "thread part", address);
      m_known.insert(address);
      m_queue.push_back({known->second, address, 0, role});
    }
    return known->second;
  }

  /// A symbol's function reaches over it: it is a place within that one.
  bool isCovered(std::uint64_t address) const {
    const runtime::NamedPlace* before = m_names.before(address);
    return before != nullptr && address - before->address < before->size;
  }

  /// It loads what starts a launch over the threads.
  bool isLaunch(const MachineInstruction& instruction) const {
    const auto slot = m_names.slots.find(instruction.reference);
    return slot != m_names.slots.end() && slot->second.ends_with("TVMBackendParallelLaunch");
  }

  void want(const runtime::NamedPlace& place, MachineFunction::Role role) {
    // Other kernels are shown by themselves.
    if (!place.function || !m_known.insert(place.address).second || place.name.starts_with("__tvm_ffi_")) {
      return;
    }
    const bool helper =
        place.name.starts_with("__tvm_set_raised") || place.name.starts_with("__tvm_func_handle_init");
    m_queue.push_back(
        {std::string(place.name), place.address, place.size, helper ? MachineFunction::Role::Helper : role});
  }

  /// Whom a stub (PLT) leads to: it jumps through a slot that the loader fills by name.
  std::string stubName(std::uint64_t address) const {
    const auto stub = code::disassemble(m_machine, m_image.bytesAt(address, kStubBytes), address, 3);
    if (!stub) {
      return {};
    }
    // The first jump decides; a function may begin with reading such a slot too.
    const auto jump = std::ranges::find(*stub, Flow::Jump, &MachineInstruction::flow);
    if (jump != stub->end()) {
      if (const auto slot = m_names.slots.find(jump->reference); slot != m_names.slots.end()) {
        return std::string(slot->second);
      }
    }
    return {};
  }

  const runtime::ElfImage& m_image;
  code::Machine m_machine;
  runtime::ElfNames m_names;
  std::vector<Wanted> m_queue;
  std::unordered_set<std::uint64_t> m_known;
  std::unordered_map<std::uint64_t, std::string> m_unnamed;  ///< names given to parts without one
  const runtime::CodeRange* m_code = nullptr;                ///< the section that the kernel lies in
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
    note = names.code.empty()
               ? "The file is stripped: functions that the kernel calls within it are not shown."
               : "The file is stripped: functions within it are told by their addresses.";
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
