// SPDX-License-Identifier: Apache-2.0
// Code for looking at, held against what TVM and objdump say of the same files.
#include "engine/session/program_code.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "engine/session/kernel_code.h"

namespace opscope::session {
namespace {

std::string fixture(const std::string& name) {
  return std::string(OPSCOPE_TEST_DATA) + "/vm/tvm027/" + name;
}

std::shared_ptr<const ProgramCode> programOf(const std::string& name) {
  auto code = readProgramCode(fixture(name), {});
  EXPECT_TRUE(code) << code.error().message;
  return code ? *code : nullptr;
}

/// TVM's listing: lines of each function by name.
std::map<std::string, std::vector<std::string>> listingOf(const std::string& name) {
  std::map<std::string, std::vector<std::string>> functions;
  std::ifstream file(fixture(name));
  std::string function;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("@") && line.ends_with(":")) {
      function = line.substr(1, line.size() - 2);
      functions[function] = {};
    } else if (line.starts_with("  ")) {
      functions[function].push_back(line.substr(2));
    }
  }
  return functions;
}

class ProgramCodeTest : public ::testing::TestWithParam<const char*> {};

TEST_P(ProgramCodeTest, SaysWhatTvmsListingSays) {
  const std::string name = GetParam();
  const auto code = programOf(name + ".so");
  ASSERT_NE(code, nullptr);
  const auto listing = listingOf(name + ".listing.txt");
  ASSERT_FALSE(listing.empty());
  std::size_t compared = 0;
  for (const CodeFunction& function : code->functions) {
    if (function.isCompiled) continue;
    ASSERT_TRUE(listing.contains(function.name)) << function.name;
    const auto& lines = listing.at(function.name);
    ASSERT_EQ(lines.size(), function.lines.size()) << function.name;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const CodeLine& line = function.lines[i];
      if (line.op == CodeLine::Op::Call) {
        EXPECT_TRUE(lines[i].starts_with("call  " + line.name)) << lines[i];
        EXPECT_NE(lines[i].find(" in: " + line.arguments), std::string::npos) << lines[i];
        if (!line.into.empty()) {
          EXPECT_TRUE(lines[i].ends_with("dst: " + line.into)) << lines[i];
        }
      } else if (line.op == CodeLine::Op::Goto || line.op == CodeLine::Op::If) {
        const std::int64_t offset = line.target - std::int64_t(function.first + i);
        EXPECT_TRUE(lines[i].ends_with(std::to_string(offset))) << lines[i];
        EXPECT_NE(code->functionOf(std::uint64_t(line.target)), nullptr);
      } else {
        EXPECT_EQ(lines[i], "ret   " + line.arguments);
      }
      EXPECT_EQ(code->functionOf(function.first + i), &function);
      ++compared;
    }
  }
  EXPECT_GT(compared, 0u);
}

INSTANTIATE_TEST_SUITE_P(Fixtures, ProgramCodeTest,
                         ::testing::Values("cnn", "ifelse", "closure", "tuples", "mlp_const", "tiny_llama",
                                           "recursion"));

TEST(ProgramCode, ConstantsAreToldInWords) {
  const auto code = programOf("mlp_const.so");
  ASSERT_NE(code, nullptr);
  bool tensor = false;
  for (const CodeFunction& function : code->functions) {
    for (const CodeLine& line : function.lines) {
      for (const std::string& word : line.words) {
        EXPECT_TRUE(std::regex_search(word, std::regex(R"(^c\[\d+\] \S)"))) << word;
        tensor = tensor || word.find("float32 [") != std::string::npos;
      }
    }
  }
  EXPECT_TRUE(tensor);
}

TEST(ProgramCode, AnotherFileIsRefused) {
  const auto code = readProgramCode(fixture("cnn.so"), "00112233445566778899aabbccddeeff");
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().code, base::ErrorCode::NotFound);
  EXPECT_NE(code.error().message.find("another file"), std::string::npos);
  const auto same = programOf("cnn.so");
  ASSERT_NE(same, nullptr);
  EXPECT_TRUE(readProgramCode(fixture("cnn.so"), same->hash));
  EXPECT_FALSE(readProgramCode(fixture("no_such_file.so"), {}));
}

/// Addresses of the instructions of a function, as objdump tells them.
std::vector<std::uint64_t> objdumpOf(const std::string& file, const std::string& symbol) {
  const std::string command = "objdump -d --no-show-raw-insn --disassemble=" + symbol + " '" + file + "'";
  FILE* pipe = popen(command.c_str(), "r");
  std::vector<std::uint64_t> addresses;
  bool inside = false;
  std::array<char, 4096> buffer;
  while (pipe != nullptr && std::fgets(buffer.data(), int(buffer.size()), pipe) != nullptr) {
    const std::string line(buffer.data());
    if (line.find("<" + symbol + ">:") != std::string::npos) inside = true;
    std::smatch match;
    if (inside && std::regex_search(line, match, std::regex(R"(^\s+([0-9a-f]+):\t)"))) {
      addresses.push_back(std::stoull(match[1], nullptr, 16));
    }
  }
  if (pipe != nullptr) pclose(pipe);
  return addresses;
}

TEST(KernelCode, HasTheInstructionsThatObjdumpHas) {
  for (const char* name : {"add", "matmul", "relu"}) {
    const auto code = readKernelCode(fixture("mlp_compiled.so"), {}, name);
    ASSERT_TRUE(code) << code.error().message;
    ASSERT_GE((*code)->functions.size(), 2u);
    for (const MachineFunction& function : (*code)->functions) {
      const auto expected = objdumpOf(fixture("mlp_compiled.so"), function.name);
      ASSERT_FALSE(expected.empty()) << function.name;
      std::vector<std::uint64_t> found;
      for (const MachineLine& line : function.lines) found.push_back(line.instruction.address);
      EXPECT_EQ(found, expected) << function.name;
    }
    const MachineFunction& main = (*code)->functions[(*code)->main()];
    EXPECT_EQ(main.name, std::string(name) + "_compute_");
    EXPECT_EQ(main.role, MachineFunction::Role::Body);
  }
}

TEST(KernelCode, NamesWhomItCalls) {
  const auto code = readKernelCode(fixture("parallel.so"), {}, "padd");
  ASSERT_TRUE(code) << code.error().message;
  EXPECT_EQ((*code)->functions.front().role, MachineFunction::Role::Entry);
  EXPECT_EQ((*code)->architecture, "x86-64");
  bool body = false;
  for (const MachineLine& line : (*code)->functions.front().lines) {
    body = body || line.note == "padd_compute_";
    if (line.targetLine < 0) continue;
    const auto& lines = (*code)->functions.front().lines;
    ASSERT_LT(std::size_t(line.targetLine), lines.size());
    EXPECT_EQ(lines[std::size_t(line.targetLine)].instruction.address, line.instruction.target);
  }
  EXPECT_TRUE(body);
}

const MachineFunction* partOf(const KernelCode& code, MachineFunction::Role role) {
  const auto place = std::ranges::find(code.functions, role, &MachineFunction::role);
  return place == code.functions.end() ? nullptr : &*place;
}

TEST(KernelCode, ShowsThePartForTheThreadsWhichHasNoSymbol) {
  const auto code = readKernelCode(fixture("parallel.so"), {}, "padd");
  ASSERT_TRUE(code) << code.error().message;
  const MachineFunction& main = (*code)->functions[(*code)->main()];
  EXPECT_EQ(main.name, "padd_compute_ · thread part at 0x17c0");
  EXPECT_EQ(main.role, MachineFunction::Role::ParallelPart);
  EXPECT_GT(main.vectorCount + main.scalarCount, 0u);
  EXPECT_FALSE(main.registers.empty());
  // It ends at its own return: what objdump has up to the next function, less what fills the gap.
  const auto all = objdumpOf(fixture("parallel.so"), "padd_compute_");
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(main.lines.back().instruction.flow, code::MachineInstruction::Flow::Return);
  EXPECT_EQ(main.lines.back().instruction.address, 0x1882u);
  // The launch says whom it launches.
  const auto launcher = std::ranges::find((*code)->functions, "padd_compute_", &MachineFunction::name);
  ASSERT_NE(launcher, (*code)->functions.end());
  EXPECT_TRUE(
      std::ranges::any_of(launcher->lines, [&](const MachineLine& line) { return line.note == main.name; }));
  EXPECT_LT(launcher->lines.back().instruction.address, main.address);
}

TEST(KernelCode, ShowsFunctionsOfAStrippedFileByTheirAddresses) {
  const std::string stripped = ::testing::TempDir() + "stripped_parallel.so";
  const std::string command = "strip -o '" + stripped + "' '" + fixture("parallel.so") + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  const auto code = readKernelCode(stripped, {}, "padd");
  ASSERT_TRUE(code) << code.error().message;
  EXPECT_NE((*code)->note.find("told by their addresses"), std::string::npos);
  const MachineFunction* part = partOf(**code, MachineFunction::Role::ParallelPart);
  ASSERT_NE(part, nullptr);
  EXPECT_EQ(part->name, "__tvm_ffi_padd · thread part at 0x17c0");
  EXPECT_EQ(part->lines.back().instruction.address, 0x1882u);
  EXPECT_EQ(&(*code)->functions[(*code)->main()], part);
}

TEST(KernelCode, ShowsCompiledFunctions) {
  const auto code = readKernelCode(fixture("mlp_compiled.so"), {}, "forward");
  ASSERT_TRUE(code) << code.error().message;
  EXPECT_GT((*code)->functions.size(), 1u);
}

TEST(KernelCode, SaysWhyThereIsNone) {
  const auto builtin = readKernelCode(fixture("mlp.so"), {}, "vm.builtin.reshape");
  ASSERT_FALSE(builtin);
  EXPECT_NE(builtin.error().message.find("builtin"), std::string::npos);
  const auto unknown = readKernelCode(fixture("mlp.so"), {}, "no_such_kernel");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, base::ErrorCode::NotFound);
  EXPECT_NE(unknown.error().detail.find("__tvm_ffi_no_such_kernel"), std::string::npos);
}

}  // namespace
}  // namespace opscope::session
