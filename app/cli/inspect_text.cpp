// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "app/cli/inspect_output.h"

namespace opscope::cli {

namespace {

using session::ExecutableInfo;
using session::FunctionInfo;

constexpr std::size_t kMostConstants = 40;

std::string bytesText(std::uint64_t bytes) {
  constexpr double kStep = 1024;
  if (bytes < 1024) {
    return fmt::format("{} bytes", bytes);
  }
  double value = static_cast<double>(bytes) / kStep;
  for (const char* unit : {"KiB", "MiB"}) {
    if (value < kStep) {
      return fmt::format("{:.1f} {}", value, unit);
    }
    value /= kStep;
  }
  return fmt::format("{:.1f} GiB", value);
}

std::string countText(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

class TextWriter {
 public:
  TextWriter(const ExecutableInfo& info, const Console& console) : m_info(info), m_console(console) {}

  std::string write(bool withBytecode) {
    addFile();
    addFunctions();
    addKernels();
    addBuiltins();
    addConstants();
    if (withBytecode) {
      addBytecode();
    }
    return std::move(m_text);
  }

 private:
  void heading(const std::string& text) { m_text += "\n" + m_console.heading(text) + "\n"; }
  void field(std::string_view name, std::string_view value) {
    m_text += fmt::format("  {:<14}{}\n", name, value.empty() ? "unknown" : value);
  }

  void addFile() {
    m_text += m_console.heading(m_info.fileName) + "\n";
    field("path", m_info.path);
    field("size", bytesText(m_info.fileBytes));
    field("hash", m_info.hash);
    field("architecture", m_info.architecture);
    field("compiled by", m_info.tvmVersion.empty() ? "" : "TVM " + m_info.tvmVersion);
    field("format", "VMExecutable " + m_info.formatVersion);
    field("modules", m_info.importedModules.empty()
                         ? "kernels only"
                         : fmt::format("{}", fmt::join(m_info.importedModules, ", ")));
  }

  void addFunctions() {
    heading(fmt::format("Functions ({})", m_info.functions.size()));
    for (const FunctionInfo& function : m_info.functions) {
      m_text +=
          fmt::format("  {}{}\n", m_console.heading(function.name), function.isPrivate ? "  (private)" : "");
      for (const vm::Parameter& parameter : function.signature.parameters) {
        m_text += fmt::format("    {}: {}\n", parameter.name, vm::describeParameter(parameter));
      }
      if (function.signature.resultKnown) {
        m_text += fmt::format("    -> {}\n", vm::describeParameter(function.signature.result));
      }
      if (!function.signature.freeDimensions.empty()) {
        m_text +=
            fmt::format("    free dimensions: {}\n", fmt::join(function.signature.freeDimensions, ", "));
      }
      m_text += fmt::format("    {}\n", bodyText(function));
    }
  }

  static std::string bodyText(const FunctionInfo& function) {
    if (function.mode != "bytecode") {
      return function.mode;
    }
    return fmt::format("bytecode, {}: {}, {}",
                       countText(function.instructions, "instruction", "instructions"),
                       countText(function.kernelCalls, "call of a kernel", "calls of kernels"),
                       countText(function.builtinCalls, "of a builtin", "of builtins"));
  }

  void addKernels() {
    heading(fmt::format("Kernels ({})", m_info.kernels.size()));
    for (const session::KernelEntry& kernel : m_info.kernels) {
      m_text += fmt::format("  {}", kernel.signature.empty() ? kernel.name : kernel.signature);
      m_text +=
          kernel.callSites > 0 ? fmt::format("  {}\n", countText(kernel.callSites, "call", "calls")) : "\n";
    }
  }

  void addBuiltins() {
    if (m_info.builtins.empty()) {
      return;
    }
    heading(fmt::format("Functions of the runtime ({})", m_info.builtins.size()));
    std::size_t width = 0;
    for (const auto& [name, calls] : m_info.builtins) {
      width = std::max(width, name.size());
    }
    for (const auto& [name, calls] : m_info.builtins) {
      m_text += fmt::format("  {:<{}}  {}\n", name, width, countText(calls, "call", "calls"));
    }
  }

  void addConstants() {
    heading(fmt::format("Constants ({}, {})", m_info.constantCount, bytesText(m_info.constantBytes)));
    const std::size_t shown = std::min(m_info.constants.size(), kMostConstants);
    for (std::size_t i = 0; i < shown; ++i) {
      m_text += fmt::format("  c[{}]  {}\n", i, m_info.constants[i]);
    }
    if (shown < m_info.constants.size()) {
      m_text += fmt::format("  and {} more\n", m_info.constants.size() - shown);
    }
  }

  void addBytecode() {
    heading("Bytecode");
    for (const std::string& line : m_info.instructions) {
      m_text += line + "\n";
    }
  }

  const ExecutableInfo& m_info;
  const Console& m_console;
  std::string m_text;
};

}  // namespace

std::string inspectText(const ExecutableInfo& info, bool withBytecode, const Console& console) {
  return TextWriter(info, console).write(withBytecode);
}

}  // namespace opscope::cli
