// SPDX-License-Identifier: Apache-2.0
// Machine code as text: both kinds of machine, jumps, references, bytes that are no instruction.
#include "engine/code/disassembly.h"

#include <gtest/gtest.h>

namespace opscope::code {
namespace {

using Flow = MachineInstruction::Flow;
using Work = MachineInstruction::Work;

std::vector<MachineInstruction> decoded(Machine machine, std::string_view bytes, std::uint64_t address,
                                        std::size_t limit = 1000) {
  auto instructions = disassemble(machine, bytes, address, limit);
  EXPECT_TRUE(instructions) << instructions.error().message;
  return instructions ? *std::move(instructions) : std::vector<MachineInstruction>();
}

TEST(Disassembly, TellsMachinesByTheirNames) {
  EXPECT_EQ(machineOf("x86-64"), Machine::X86_64);
  EXPECT_EQ(machineOf("aarch64"), Machine::Aarch64);
  EXPECT_FALSE(machineOf("riscv64"));
  EXPECT_FALSE(machineOf(""));
}

TEST(Disassembly, ReadsX86) {
  // push %rax; cmp $2, %edx; jne +4; lea 0x10(%rip), %rdi; vaddps %ymm1, %ymm2, %ymm3; call +0; ret
  constexpr std::string_view kCode(
      "\x50\x83\xfa\x02\x75\x04\x48\x8d\x3d\x10\x00\x00\x00\xc5\xec\x58\xd9\xe8\x00\x00\x00\x00\xc3", 23);
  const auto code = decoded(Machine::X86_64, kCode, 0x1000);
  ASSERT_EQ(code.size(), 7u);
  EXPECT_EQ(code[0].mnemonic, "pushq");
  EXPECT_EQ(code[0].operands, "%rax");
  EXPECT_EQ(code[2].flow, Flow::Jump);
  EXPECT_EQ(code[2].target, 0x100Au);
  EXPECT_EQ(code[3].reference, 0x100Du + 0x10u);
  EXPECT_EQ(code[4].mnemonic, "vaddps");
  EXPECT_EQ(code[4].work, Work::Vector);
  EXPECT_EQ(code[5].flow, Flow::Call);
  EXPECT_EQ(code[5].target, 0x1016u);
  EXPECT_EQ(code[6].flow, Flow::Return);
  std::uint64_t at = 0x1000;
  for (const MachineInstruction& instruction : code) {
    EXPECT_EQ(instruction.address, at);
    at += instruction.size;
  }
  EXPECT_EQ(at, 0x1000u + kCode.size());
}

TEST(Disassembly, ReadsAarch64) {
  // fmla v0.4s, v1.4s, v2.4s; cbz x0, +8; bl +16; ret
  constexpr std::string_view kCode("\x20\xcc\x22\x4e\x40\x00\x00\xb4\x04\x00\x00\x94\xc0\x03\x5f\xd6", 16);
  const auto code = decoded(Machine::Aarch64, kCode, 0x2000);
  ASSERT_EQ(code.size(), 4u);
  EXPECT_EQ(code[0].mnemonic, "fmla");
  EXPECT_EQ(code[0].work, Work::Vector);
  EXPECT_EQ(code[1].flow, Flow::Jump);
  EXPECT_EQ(code[1].target, 0x200Cu);
  EXPECT_EQ(code[2].flow, Flow::Call);
  EXPECT_EQ(code[2].target, 0x2018u);
  EXPECT_EQ(code[3].flow, Flow::Return);
}

TEST(Disassembly, GoesOnBehindBytesThatAreNoInstruction) {
  const auto code = decoded(Machine::X86_64, std::string_view("\x06\xc3", 2), 0);
  ASSERT_EQ(code.size(), 2u);
  EXPECT_EQ(code[0].flow, Flow::Data);
  EXPECT_EQ(code[1].flow, Flow::Return);
  // Cut in the middle of an instruction.
  const auto cut = decoded(Machine::X86_64, std::string_view("\xe8\x00\x00", 3), 0);
  ASSERT_FALSE(cut.empty());
  EXPECT_EQ(cut.front().flow, Flow::Data);
  EXPECT_TRUE(decoded(Machine::X86_64, {}, 0).empty());
}

TEST(Disassembly, StopsAtTheLimit) {
  EXPECT_EQ(decoded(Machine::X86_64, std::string(100, '\x90'), 0, 10).size(), 10u);
}

TEST(Disassembly, TellsVectorFromScalarWork) {
  EXPECT_EQ(workOf(Machine::X86_64, "vfmadd231ps", ""), Work::Vector);
  EXPECT_EQ(workOf(Machine::X86_64, "mulss", ""), Work::Scalar);
  EXPECT_EQ(workOf(Machine::X86_64, "vpmaddubsw", ""), Work::Vector);
  EXPECT_EQ(workOf(Machine::X86_64, "addq", ""), Work::Other);
  EXPECT_EQ(workOf(Machine::X86_64, "vmovaps", ""), Work::Other);
  EXPECT_EQ(workOf(Machine::Aarch64, "fmul", "s0, s1, s2"), Work::Scalar);
  EXPECT_EQ(workOf(Machine::Aarch64, "fmul", "v0.4s, v1.4s, v2.4s"), Work::Vector);
  EXPECT_EQ(workOf(Machine::Aarch64, "add", "x0, x1, x2"), Work::Other);
}

}  // namespace
}  // namespace opscope::code
