// SPDX-License-Identifier: Apache-2.0
#include "engine/code/disassembly.h"

#include <capstone/capstone.h>

#include <algorithm>

namespace opscope::code {

namespace {

using Flow = MachineInstruction::Flow;
using Work = MachineInstruction::Work;

class Decoder {
 public:
  explicit Decoder(Machine machine) : m_machine(machine) {
    const bool x86 = machine == Machine::X86_64;
    m_isOpen =
        cs_open(x86 ? CS_ARCH_X86 : CS_ARCH_ARM64, x86 ? CS_MODE_64 : CS_MODE_ARM, &m_handle) == CS_ERR_OK;
    if (!m_isOpen) {
      return;
    }
    cs_option(m_handle, CS_OPT_DETAIL, CS_OPT_ON);
    cs_option(m_handle, CS_OPT_SKIPDATA, CS_OPT_ON);
    if (x86) {
      cs_option(m_handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
    }
    m_instruction = cs_malloc(m_handle);
  }
  ~Decoder() {
    if (m_instruction != nullptr) {
      cs_free(m_instruction, 1);
    }
    if (m_isOpen) {
      cs_close(&m_handle);
    }
  }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  bool isReady() const { return m_instruction != nullptr; }

  bool next(const std::uint8_t*& code, std::size_t& left, std::uint64_t& address) {
    return cs_disasm_iter(m_handle, &code, &left, &address, m_instruction);
  }

  MachineInstruction current() const {
    MachineInstruction made;
    made.address = m_instruction->address;
    made.size = m_instruction->size;
    made.mnemonic = m_instruction->mnemonic;
    made.operands = m_instruction->op_str;
    if (m_instruction->id == 0 || m_instruction->detail == nullptr) {
      made.flow = Flow::Data;  // what SKIPDATA steps over
      return made;
    }
    made.flow = flow();
    made.work = workOf(m_machine, made.mnemonic, made.operands);
    if (m_machine == Machine::X86_64) {
      readX86(made);
    } else {
      readArm(made);
    }
    return made;
  }

 private:
  bool in(std::uint8_t group) const { return cs_insn_group(m_handle, m_instruction, group); }

  Flow flow() const {
    if (m_machine == Machine::Aarch64 &&
        (m_instruction->id == ARM64_INS_BL || m_instruction->id == ARM64_INS_BLR)) {
      return Flow::Call;
    }
    if (in(CS_GRP_CALL)) {
      return Flow::Call;
    }
    if (in(CS_GRP_RET) || (m_machine == Machine::Aarch64 && m_instruction->id == ARM64_INS_RET)) {
      return Flow::Return;
    }
    return in(CS_GRP_JUMP) ? Flow::Jump : Flow::Next;
  }

  void readX86(MachineInstruction& made) const {
    const cs_x86& detail = m_instruction->detail->x86;
    const bool branches = made.flow == Flow::Jump || made.flow == Flow::Call;
    for (std::uint8_t i = 0; i < detail.op_count; ++i) {
      const cs_x86_op& operand = detail.operands[i];
      if (operand.type == X86_OP_IMM && branches) {
        made.target = static_cast<std::uint64_t>(operand.imm);
      }
      if (operand.type == X86_OP_MEM && operand.mem.base == X86_REG_RIP) {
        made.reference = made.address + made.size + static_cast<std::uint64_t>(operand.mem.disp);
      }
    }
  }

  void readArm(MachineInstruction& made) const {
    const cs_arm64& detail = m_instruction->detail->arm64;
    if ((made.flow != Flow::Jump && made.flow != Flow::Call) || detail.op_count == 0) {
      return;
    }
    // The target stands last: cbz and tbz name a register and a bit before it.
    const cs_arm64_op& last = detail.operands[detail.op_count - 1];
    if (last.type == ARM64_OP_IMM) {
      made.target = static_cast<std::uint64_t>(last.imm);
    }
  }

  Machine m_machine;
  csh m_handle = 0;
  bool m_isOpen = false;
  cs_insn* m_instruction = nullptr;
};

bool startsWithAny(std::string_view text, std::initializer_list<std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [text](std::string_view one) { return text.starts_with(one); });
}

Work x86Work(std::string_view mnemonic) {
  std::string_view name = mnemonic;
  if (name.starts_with("v")) {
    name.remove_prefix(1);
  }
  if (startsWithAny(name, {"add", "sub", "mul", "div", "fmadd", "fmsub", "fnmadd", "fnmsub", "max", "min",
                           "sqrt", "rsqrt", "rcp", "dpp", "hadd", "addsub"})) {
    if (name.ends_with("ps") || name.ends_with("pd") || name.ends_with("ph")) {
      return Work::Vector;
    }
    if (name.ends_with("ss") || name.ends_with("sd") || name.ends_with("sh")) {
      return Work::Scalar;
    }
  }
  return startsWithAny(name, {"padd", "psub", "pmul", "pmadd", "pmax", "pmin", "pdpb", "pdpw"}) ? Work::Vector
                                                                                                : Work::Other;
}

Work armWork(std::string_view mnemonic, std::string_view operands) {
  const bool arithmetic =
      startsWithAny(mnemonic, {"fadd",   "fsub",   "fmul",   "fdiv",  "fmla",  "fmls",  "fmadd",
                               "fmsub",  "fnmadd", "fnmsub", "fmax",  "fmin",  "fsqrt", "frecp",
                               "frsqrt", "sdot",   "udot",   "smlal", "umlal", "smull", "umull"});
  const bool lanes = operands.starts_with("v") || operands.starts_with("z");
  if (arithmetic) {
    return lanes ? Work::Vector : mnemonic.starts_with("f") ? Work::Scalar : Work::Other;
  }
  return lanes && startsWithAny(mnemonic, {"add", "sub", "mul", "mla", "mls", "smax", "smin", "umax", "umin"})
             ? Work::Vector
             : Work::Other;
}

}  // namespace

std::optional<Machine> machineOf(std::string_view architecture) {
  if (architecture == "x86-64") {
    return Machine::X86_64;
  }
  return architecture == "aarch64" ? std::optional(Machine::Aarch64) : std::nullopt;
}

base::Result<std::vector<MachineInstruction>> disassemble(Machine machine, std::string_view bytes,
                                                          std::uint64_t address, std::size_t limit) {
  Decoder decoder(machine);
  if (!decoder.isReady()) {
    return base::Error{
        base::ErrorCode::Internal, "the disassembler does not know this kind of machine code", {}, {}};
  }
  std::vector<MachineInstruction> instructions;
  const auto* code = reinterpret_cast<const std::uint8_t*>(bytes.data());
  std::size_t left = bytes.size();
  while (left > 0 && instructions.size() < limit && decoder.next(code, left, address)) {
    instructions.push_back(decoder.current());
  }
  return instructions;
}

MachineInstruction::Work workOf(Machine machine, std::string_view mnemonic, std::string_view operands) {
  return machine == Machine::X86_64 ? x86Work(mnemonic) : armWork(mnemonic, operands);
}

}  // namespace opscope::code
