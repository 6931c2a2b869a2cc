// SPDX-License-Identifier: Apache-2.0
#include "engine/session/program_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "engine/session/code_file.h"
#include "engine/session/constant_words.h"
#include "engine/session/content_hash.h"
#include "engine/vm/annotation_parser.h"
#include "engine/vm/listing.h"

namespace opscope::session {

namespace {

using base::Result;

bool isHousekeeping(std::string_view callee) {
  return callee.starts_with("vm.builtin.alloc_") || callee == "vm.builtin.null_value" ||
         callee.starts_with("vm.builtin.kill_");
}

class CodeBuilder {
 public:
  explicit CodeBuilder(const vm::ExecutableFile& file) : m_data(*file.data) {
    for (const vm::KernelInfo& kernel : file.kernels) {
      m_kernels.insert(kernel.name);
    }
  }

  std::vector<CodeFunction> functions() const {
    std::vector<CodeFunction> list;
    for (const vm::FunctionEntry& entry : m_data.functions) {
      if (entry.kind == vm::FunctionKind::Packed) {
        continue;
      }
      CodeFunction function;
      function.name = entry.name;
      function.isCompiled = entry.kind == vm::FunctionKind::VmTir;
      function.parameters = entry.parameterNames;
      if (!function.isCompiled) {
        function.first = static_cast<std::uint64_t>(entry.startInstruction);
        function.registers = static_cast<std::uint64_t>(entry.registerCount);
        for (std::int64_t at = entry.startInstruction; at < entry.endInstruction; ++at) {
          function.lines.push_back(line(m_data.instructions[static_cast<std::size_t>(at)], at));
        }
      }
      list.push_back(std::move(function));
    }
    return list;
  }

 private:
  CodeLine line(const vm::Instruction& instruction, std::int64_t at) const {
    CodeLine made;
    switch (instruction.op) {
      case vm::Instruction::Op::Call:
        fillCall(instruction, made);
        break;
      case vm::Instruction::Op::Ret:
        made.op = CodeLine::Op::Return;
        made.name = "ret";
        made.arguments = vm::registerName(instruction.operand);
        break;
      case vm::Instruction::Op::Goto:
        made.op = CodeLine::Op::Goto;
        made.name = "goto";
        made.target = at + instruction.offset;
        break;
      case vm::Instruction::Op::If:
        made.op = CodeLine::Op::If;
        made.name = "if";
        made.arguments = vm::registerName(instruction.operand);
        made.target = at + instruction.offset;
        break;
    }
    return made;
  }

  void fillCall(const vm::Instruction& call, CodeLine& made) const {
    const vm::FunctionEntry& callee = m_data.functions[static_cast<std::size_t>(call.function)];
    made.op = CodeLine::Op::Call;
    made.name = callee.name;
    made.housekeeping = isHousekeeping(callee.name);
    made.callee = callee.kind != vm::FunctionKind::Packed ? CodeLine::Callee::Function
                  : m_kernels.contains(callee.name)       ? CodeLine::Callee::Kernel
                                                          : CodeLine::Callee::Builtin;
    for (std::uint32_t i = 0; i < call.argumentCount; ++i) {
      const vm::Argument& argument = m_data.arguments[call.firstArgument + i];
      const std::string text = vm::argumentText(m_data, argument);
      made.arguments += (i == 0 ? "" : ", ") + text;
      if (argument.kind == vm::Argument::Kind::ConstantIndex) {
        made.words.push_back(text + " " +
                             constantWords(m_data.constants[static_cast<std::size_t>(argument.value)]));
      }
    }
    if (call.destination < vm::kVoidRegister) {
      made.into = vm::registerName(call.destination);
    }
  }

  const vm::ExecutableData& m_data;
  std::unordered_set<std::string_view> m_kernels;
};

}  // namespace

const CodeFunction* ProgramCode::functionOf(std::uint64_t instruction) const {
  const auto found = std::ranges::find_if(functions, [instruction](const CodeFunction& function) {
    return instruction >= function.first && instruction - function.first < function.lines.size();
  });
  return found == functions.end() ? nullptr : &*found;
}

const CodeFunction* ProgramCode::find(const std::string& name) const {
  const auto found = std::ranges::find(functions, name, &CodeFunction::name);
  return found == functions.end() ? nullptr : &*found;
}

Result<CodeFile> readCodeFile(const std::string& path, const std::string& expectedHash) {
  CodeFile read;
  OPSCOPE_TRY_ASSIGN(read.file, vm::readExecutableFile(path, vm::Architectures::Any));
  const auto& bytes = read.file.linkedFrom != nullptr ? read.file.linkedFrom : read.file.content;
  read.hash = contentHash(bytes->view());
  if (!expectedHash.empty() && read.hash != expectedHash) {
    return base::Error{base::ErrorCode::NotFound,
                       fmt::format("{} is another file now than the one that was run", path),
                       fmt::format("Its hash is {}, that of the run is {}.", read.hash, expectedHash),
                       "open the file again and run it to see its code beside its times"};
  }
  return read;
}

Result<std::shared_ptr<const ProgramCode>> readProgramCode(const std::string& path,
                                                           const std::string& expectedHash) {
  OPSCOPE_TRY_ASSIGN(const CodeFile read, readCodeFile(path, expectedHash));
  auto code = std::make_shared<ProgramCode>();
  code->path = path;
  code->hash = read.hash;
  code->architecture = read.file.architecture;
  code->functions = CodeBuilder(read.file).functions();
  for (const vm::KernelInfo& kernel : read.file.kernels) {
    const auto parameters = vm::parseKernelSignature(kernel.signature);
    if (!parameters) {
      continue;
    }
    std::vector<std::string>& names = code->kernelParameters[kernel.name];
    for (const vm::Parameter& parameter : *parameters) {
      names.push_back(parameter.name);
    }
  }
  return std::shared_ptr<const ProgramCode>(std::move(code));
}

}  // namespace opscope::session
