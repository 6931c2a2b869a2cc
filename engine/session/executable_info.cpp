// SPDX-License-Identifier: Apache-2.0
#include "engine/session/executable_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <unordered_map>

#include "engine/runtime/elf_image.h"
#include "engine/session/constant_words.h"
#include "engine/session/content_hash.h"
#include "engine/session/executable_info_builder.h"
#include "engine/vm/annotation_parser.h"
#include "engine/vm/library_blob.h"
#include "engine/vm/listing.h"

namespace opscope::session {

namespace {

std::string kernelText(const vm::KernelInfo& kernel) {
  auto parameters = vm::parseKernelSignature(kernel.signature);
  if (!parameters) {
    return kernel.signature.empty() ? kernel.name : kernel.signature;
  }
  vm::Signature signature;
  signature.function = kernel.name;
  signature.parameters = std::move(*parameters);
  return vm::describeSignature(signature);
}

class InfoBuilder {
 public:
  explicit InfoBuilder(const vm::ExecutableFile& file) : m_file(file), m_data(*file.data) {}

  ExecutableInfo build() {
    m_info.path = m_file.path.string();
    m_info.fileName = m_file.path.filename().string();
    const std::string_view bytes =
        (m_file.linkedFrom != nullptr ? m_file.linkedFrom : m_file.content)->view();
    m_info.hash = contentHash(bytes);
    m_info.fileBytes = bytes.size();
    m_info.architecture = m_file.architecture;
    m_info.runsHere = m_file.architecture == runtime::hostArchitecture();
    m_info.tvmVersion = m_file.tvmVersion;
    m_info.formatVersion = m_data.formatVersion;
    countCalls();
    addFunctions();
    addConstants();
    for (const std::string& kind : m_file.moduleKinds) {
      if (kind != vm::kExecutableKind && kind != vm::kLibraryKind) {
        m_info.importedModules.push_back(kind);
      }
    }
    addListing();
    return std::move(m_info);
  }

 private:
  void countCalls() {
    for (const vm::KernelInfo& kernel : m_file.kernels) {
      m_kernelIndex.emplace(kernel.name, m_info.kernels.size());
      m_info.kernels.push_back({kernel.name, kernel.signature, 0, kernelText(kernel)});
    }
    for (const vm::Instruction& instruction : m_data.instructions) {
      if (instruction.op != vm::Instruction::Op::Call) {
        continue;
      }
      const vm::FunctionEntry& callee = functionAt(instruction.function);
      if (callee.kind != vm::FunctionKind::Packed) {
        continue;
      }
      const auto kernel = m_kernelIndex.find(callee.name);
      if (kernel != m_kernelIndex.end()) {
        ++m_info.kernels[kernel->second].callSites;
      } else {
        ++m_info.builtins[callee.name];
      }
    }
  }

  void addFunctions() {
    const std::vector<bool> used = usedByOthers();
    for (std::size_t i = 0; i < m_data.functions.size(); ++i) {
      const vm::FunctionEntry& entry = m_data.functions[i];
      if (entry.kind == vm::FunctionKind::Packed) {
        continue;
      }
      FunctionInfo function;
      function.name = entry.name;
      function.mode = entry.kind == vm::FunctionKind::Bytecode ? "bytecode" : "compiled";
      function.signature = vm::inferSignature(m_data, static_cast<std::int64_t>(i), m_file.kernels);
      function.isPrivate = used[i] && entry.name != "main";
      if (entry.kind == vm::FunctionKind::Bytecode) {
        addBody(entry, function);
      }
      m_info.functions.push_back(std::move(function));
    }
  }

  void addBody(const vm::FunctionEntry& entry, FunctionInfo& function) const {
    function.instructions = static_cast<std::uint64_t>(entry.endInstruction - entry.startInstruction);
    for (std::int64_t at = entry.startInstruction; at < entry.endInstruction; ++at) {
      const vm::Instruction& instruction = m_data.instructions[static_cast<std::size_t>(at)];
      if (instruction.op != vm::Instruction::Op::Call) {
        continue;
      }
      const vm::FunctionEntry& callee = functionAt(instruction.function);
      if (m_kernelIndex.contains(callee.name)) {
        ++function.kernelCalls;
      } else if (callee.kind == vm::FunctionKind::Packed) {
        ++function.builtinCalls;
      }
    }
  }

  /// Functions that another function calls or takes as a value.
  std::vector<bool> usedByOthers() const {
    std::vector<bool> used(m_data.functions.size(), false);
    for (std::size_t user = 0; user < m_data.functions.size(); ++user) {
      const vm::FunctionEntry& entry = m_data.functions[user];
      if (entry.kind != vm::FunctionKind::Bytecode) {
        continue;
      }
      const auto use = [&](std::int64_t function) {
        if (function != static_cast<std::int64_t>(user)) {
          used[static_cast<std::size_t>(function)] = true;
        }
      };
      for (std::int64_t at = entry.startInstruction; at < entry.endInstruction; ++at) {
        const vm::Instruction& instruction = m_data.instructions[static_cast<std::size_t>(at)];
        if (instruction.op != vm::Instruction::Op::Call) {
          continue;
        }
        use(instruction.function);
        for (std::uint32_t i = 0; i < instruction.argumentCount; ++i) {
          const vm::Argument& argument = m_data.arguments[instruction.firstArgument + i];
          if (argument.kind == vm::Argument::Kind::FunctionIndex) {
            use(argument.value);
          }
        }
      }
    }
    return used;
  }

  void addConstants() {
    m_info.constantCount = m_data.constants.size();
    for (const vm::Constant& constant : m_data.constants) {
      m_info.constants.push_back(constantWords(constant));
      if (const auto* tensor = std::get_if<vm::TensorConstant>(&constant)) {
        m_info.constantBytes += tensor->size;
      }
    }
  }

  void addListing() {
    std::istringstream lines(vm::toListing(m_data));
    for (std::string line; std::getline(lines, line);) {
      m_info.instructions.push_back(std::move(line));
    }
  }

  const vm::FunctionEntry& functionAt(std::int64_t index) const {
    return m_data.functions[static_cast<std::size_t>(index)];  // the decoder checked every index
  }

  const vm::ExecutableFile& m_file;
  const vm::ExecutableData& m_data;
  ExecutableInfo m_info;
  std::unordered_map<std::string_view, std::size_t> m_kernelIndex;
};

}  // namespace

ExecutableInfo buildExecutableInfo(const vm::ExecutableFile& file) {
  return InfoBuilder(file).build();
}

std::string defaultFunction(const ExecutableInfo& info) {
  const auto named = std::ranges::find(info.functions, "main", &FunctionInfo::name);
  if (named != info.functions.end()) {
    return named->name;
  }
  const auto isPublic = [](const FunctionInfo& function) { return !function.isPrivate; };
  const auto place = std::ranges::find_if(info.functions, isPublic);
  if (place != info.functions.end()) {
    return place->name;
  }
  return info.functions.empty() ? std::string() : info.functions.front().name;
}

}  // namespace opscope::session
