// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <vector>

#include "app/cli/inspect_output.h"
#include "app/cli/words.h"
#include "engine/base/printable.h"
#include "engine/base/text_width.h"
#include "engine/report/kinds.h"
#include "engine/session/device_modules.h"
#include "engine/session/input_spec.h"

namespace opscope::cli {

namespace {

using session::ExecutableInfo;
using session::FunctionInfo;
using session::KernelEntry;

constexpr std::size_t kMostOnTerminal = 20;  // lines of a list

/// "Convolution 27, Data movement 20": kinds of the kernels, the most frequent first.
std::string kindsText(const std::vector<KernelEntry>& kernels) {
  std::map<report::OpKind, std::size_t> counts;
  for (const KernelEntry& kernel : kernels) {
    ++counts[report::kindOf(kernel.name)];
  }
  std::vector<std::pair<report::OpKind, std::size_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> parts;
  for (const auto& [kind, count] : sorted) {
    parts.push_back(fmt::format("{} {}", report::kindName(kind), count));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// "12 tensors, 58 shapes, 5 strings": what the constants are, by the first word of their description.
std::string constantKinds(const std::vector<std::string>& constants) {
  constexpr std::array<std::array<std::string_view, 3>, 6> kKinds = {{{"", "tensor", "tensors"},
                                                                      {"shape ", "shape", "shapes"},
                                                                      {"string ", "string", "strings"},
                                                                      {"dtype ", "type", "types"},
                                                                      {"int ", "integer", "integers"},
                                                                      {"float ", "number", "numbers"}}};
  std::array<std::uint64_t, kKinds.size()> counts{};
  for (const std::string& constant : constants) {
    const auto kind = std::find_if(std::next(kKinds.begin()), kKinds.end(),
                                   [&constant](const auto& each) { return constant.starts_with(each[0]); });
    ++counts[kind == kKinds.end() ? 0 : static_cast<std::size_t>(kind - kKinds.begin())];
  }
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (counts[i] > 0) {
      parts.push_back(countText(counts[i], kKinds[i][1], kKinds[i][2]));
    }
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Whether random values can be made without being told more.
bool makesItself(const vm::Parameter& parameter) {
  switch (parameter.kind) {
    case vm::ParameterKind::Tensor:
      return parameter.rankKnown && parameter.typeKnown;
    case vm::ParameterKind::Shape:
      return parameter.rankKnown;
    case vm::ParameterKind::Scalar:
      return true;
    case vm::ParameterKind::Tuple:
      return std::all_of(parameter.members.begin(), parameter.members.end(), makesItself);
    default:
      return false;
  }
}

class TextWriter {
 public:
  TextWriter(const ExecutableInfo& info, const TextOptions& options, const Console& console)
      : m_info(info), m_options(options), m_console(console) {}

  std::string write() {
    addFile();
    addFunctions();
    addKernels();
    addBuiltins();
    addConstants();
    if (m_options.withBytecode) {
      addBytecode();
    }
    addExample();
    return std::move(m_text);
  }

 private:
  void heading(const std::string& text) { m_text += "\n" + m_console.heading(text) + "\n"; }

  void line(std::string_view text) {
    const std::string shown = base::printable(text);
    m_text += m_options.width ? base::elideEnd(shown, *m_options.width) : shown;
    m_text += '\n';
  }

  void field(std::string_view name, std::string_view value) {
    line(fmt::format("  {:<18}{}", name, value.empty() ? "unknown" : value));
  }

  /// The lines `textOf(i)` for i below `count`; on a terminal the first ones.
  void list(std::size_t count, auto textOf) {
    // One line more is better than a line that tells of it.
    const std::size_t shown =
        m_options.width && count > kMostOnTerminal + 1 ? std::min(count, kMostOnTerminal) : count;
    for (std::size_t i = 0; i < shown; ++i) {
      line(textOf(i));
    }
    if (shown < count) {
      line(fmt::format("  … and {} more (--all or a pipe shows them)", count - shown));
    }
  }

  void addFile() {
    m_text += m_console.heading(base::printable(m_info.fileName)) + "\n";
    field("path", m_info.path);
    field("size", fmt::format("{}, of it constants {}", bytesText(m_info.fileBytes),
                              bytesText(m_info.constantBytes)));
    field("hash", m_info.hash);
    field("compiled by", m_info.tvmVersion.empty() ? "" : "TVM " + m_info.tvmVersion);
    field("format", "VMExecutable " + m_info.formatVersion);
    field("target", targetText());
    field("imported modules", m_info.importedModules.empty()
                                  ? "none: all kernels are in this library"
                                  : fmt::format("{}", fmt::join(m_info.importedModules, ", ")));
  }

  /// Kernels of other devices come as imported modules.
  std::string targetText() const {
    if (m_info.architecture.empty()) {
      return {};
    }
    const std::vector<std::string> devices = session::devicesNotHere(m_info);
    const std::string cannot =
        !m_info.runsHere  ? " (this computer is another: it cannot be run here)"
        : devices.empty() ? ""
                          : fmt::format(" ({} kernels cannot be run here)", fmt::join(devices, " and "));
    return devices.empty() ? fmt::format("CPU, {}{}", m_info.architecture, cannot)
                           : fmt::format("{}, with a host of {}{}", fmt::join(devices, " and "),
                                         m_info.architecture, cannot);
  }

  void addFunctions() {
    heading(fmt::format("Functions ({})", m_info.functions.size()));
    for (const FunctionInfo& function : m_info.functions) {
      m_text += fmt::format("  {}{}\n", m_console.heading(base::printable(function.name)),
                            function.isPrivate ? "  (private)" : "");
      const auto& parameters = function.signature.parameters;
      list(parameters.size(), [&parameters](std::size_t i) {
        return fmt::format("    {}: {}", parameters[i].name, vm::describeParameter(parameters[i]));
      });
      if (function.signature.resultKnown) {
        line(fmt::format("    -> {}", vm::describeParameter(function.signature.result)));
      }
      if (!function.signature.freeDimensions.empty()) {
        line(fmt::format("    free dimensions: {}", fmt::join(function.signature.freeDimensions, ", ")));
      }
      line("    " + bodyText(function));
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
    const std::vector<KernelEntry>& kernels = m_info.kernels;
    heading(fmt::format("Kernels ({})", kernels.size()));
    if (kernels.empty()) {
      return;
    }
    line("  by kind: " + kindsText(kernels));
    const bool called = std::any_of(kernels.begin(), kernels.end(),
                                    [](const KernelEntry& kernel) { return kernel.callSites > 0; });
    list(kernels.size(), [this, &kernels, called](std::size_t i) {
      const std::string calls = kernels[i].callSites > 0 ? fmt::format("{} ×", kernels[i].callSites) : "";
      return called ? fmt::format("  {:>5}  {}", calls, kernelText(kernels[i]))
                    : "  " + kernelText(kernels[i]);
    });
  }

  /// A long name leaves room for the parameters.
  std::string kernelText(const KernelEntry& kernel) const {
    if (!m_options.width || !kernel.description.starts_with(kernel.name)) {
      return kernel.description;
    }
    const std::size_t most = *m_options.width / 2;
    return base::elideMiddle(kernel.name, most) + kernel.description.substr(kernel.name.size());
  }

  void addBuiltins() {
    if (m_info.builtins.empty()) {
      return;
    }
    heading(fmt::format("Functions of the runtime ({})", m_info.builtins.size()));
    for (const auto& [name, calls] : m_info.builtins) {
      line(fmt::format("  {:>5}  {}", fmt::format("{} ×", calls), name));
    }
  }

  void addConstants() {
    heading(fmt::format("Constants ({}, {})", m_info.constantCount, bytesText(m_info.constantBytes)));
    if (m_info.constants.empty()) {
      return;
    }
    line("  " + constantKinds(m_info.constants));
    list(m_info.constants.size(), [this](std::size_t i) {
      return fmt::format("  {:<6}  {}", fmt::format("c[{}]", i), m_info.constants[i]);
    });
  }

  void addBytecode() {
    heading("Bytecode");
    for (const std::string& instruction : m_info.instructions) {
      line(instruction);
    }
  }

  /// A command line to go on with, never cut: it is there to be copied.
  void addExample() {
    const std::string name = session::defaultFunction(m_info);
    const auto function = std::find_if(m_info.functions.begin(), m_info.functions.end(),
                                       [&name](const FunctionInfo& each) { return each.name == name; });
    if (function == m_info.functions.end() || !m_info.runsHere || !session::devicesNotHere(m_info).empty()) {
      return;
    }
    heading("To profile it");
    session::CallPlan plan;
    const auto publicOnes = std::count_if(m_info.functions.begin(), m_info.functions.end(),
                                          [](const FunctionInfo& each) { return !each.isPrivate; });
    plan.function = publicOnes > 1 ? name : "";
    plan.inputs.dimensions = session::defaultDimensions(function->signature);
    const auto& parameters = function->signature.parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (!makesItself(parameters[i])) {
        plan.inputs.values[fmt::format("{}", i)] = "@FILE.npy";
      }
    }
    std::vector<std::string> words = {"opscope-cli", "profile", m_info.path};
    const std::vector<std::string> inputs = session::commandLineWords(plan);
    words.insert(words.end(), inputs.begin(), inputs.end());
    m_text += fmt::format("  {}\n", session::shellCommand(words));
  }

  const ExecutableInfo& m_info;
  const TextOptions& m_options;
  const Console& m_console;
  std::string m_text;
};

}  // namespace

std::string inspectText(const ExecutableInfo& info, const TextOptions& options, const Console& console) {
  return TextWriter(info, options, console).write();
}

}  // namespace opscope::cli
