// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/kernel_table.h"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace opscope::vm {

namespace {

constexpr std::size_t kLongestSignature = std::size_t{1} << 20;

bool isNameByte(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
         byte == '_' || byte == '.' || byte == '$';
}

// A text of TVM's error messages: printable, closed by a parenthesis, ended by a zero byte.
std::string_view signatureAt(std::string_view bytes, std::size_t start) {
  const std::size_t end = bytes.substr(0, start + kLongestSignature).find('\0', start);
  if (end == std::string_view::npos) {
    return {};
  }
  const std::string_view text = bytes.substr(start, end - start);
  const bool printable = std::all_of(text.begin(), text.end(),
                                     [](char byte) { return static_cast<unsigned char>(byte) >= 0x20; });
  return printable && text.ends_with(')') ? text : std::string_view();
}

// Looks at every opening parenthesis of the file once and reads the name before it.
void fillSignatures(std::string_view bytes, std::vector<KernelInfo>& kernels, SkippedBytes skipped) {
  std::unordered_map<std::string_view, KernelInfo*> byName;
  std::size_t longest = 0;
  for (KernelInfo& kernel : kernels) {
    byName.emplace(kernel.name, &kernel);
    longest = std::max(longest, kernel.name.size());
  }
  for (std::size_t at = bytes.find('('); at != std::string_view::npos; at = bytes.find('(', at + 1)) {
    if (at >= skipped.begin && at < skipped.end) {
      at = skipped.end - 1;
      continue;
    }
    std::size_t start = at;
    while (start > 0 && at - start <= longest && isNameByte(bytes[start - 1])) {
      --start;
    }
    const auto found = byName.find(bytes.substr(start, at - start));
    if (found != byName.end() && found->second->signature.empty()) {
      found->second->signature = std::string(signatureAt(bytes, start));
    }
  }
}

// Kernels under their plain names stand beside functions of the compiler's own libraries, which begin with an
// underscore.
const runtime::ElfSymbol* kernelSymbol(const runtime::ElfImage& image, const std::string& name,
                                       KernelCalls calls) {
  const runtime::ElfSymbol* symbol = image.findSymbol(std::string(kFunctionPrefix) + name);
  if (symbol == nullptr && calls == KernelCalls::Plain) {
    symbol = image.findSymbol(name);
  }
  return symbol != nullptr && symbol->function ? symbol : nullptr;
}

/// The name of the kernel behind an exported symbol, "" when it is none.
std::string_view kernelName(const runtime::ElfSymbol& symbol, KernelCalls calls) {
  // Weak symbols are aliases, and compiled functions are not kernels.
  if (symbol.weak || !symbol.function) {
    return {};
  }
  if (symbol.name.starts_with(kFunctionPrefix)) {
    const std::string_view name = symbol.name.substr(kFunctionPrefix.size());
    return name.starts_with("__vmtir__") ? std::string_view() : name;
  }
  return calls == KernelCalls::Plain && !symbol.name.starts_with('_') ? symbol.name : std::string_view();
}

}  // namespace

std::vector<KernelInfo> listKernels(const runtime::ElfImage& image, const ExecutableData& data,
                                    KernelCalls calls, SkippedBytes skipped) {
  std::vector<KernelInfo> kernels;
  for (const FunctionEntry& function : data.functions) {
    const runtime::ElfSymbol* symbol =
        function.kind == FunctionKind::Packed ? kernelSymbol(image, function.name, calls) : nullptr;
    if (symbol != nullptr) {
      kernels.push_back({function.name, "", symbol->size});
    }
  }
  for (const runtime::ElfSymbol& symbol : image.definedSymbols()) {
    const std::string_view name = kernelName(symbol, calls);
    if (!name.empty() && findFunction(data, name) < 0) {
      kernels.push_back({std::string(name), "", symbol.size});
    }
  }
  fillSignatures(image.bytes(), kernels, skipped);
  return kernels;
}

}  // namespace opscope::vm
