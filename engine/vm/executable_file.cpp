// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/executable_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/base/atomic_file.h"
#include "engine/runtime/elf_image.h"
#include "engine/runtime/object_linker.h"
#include "engine/vm/executable_decoder.h"
#include "engine/vm/kernel_table.h"
#include "engine/vm/library_blob.h"

namespace opscope::vm {

namespace {

constexpr std::string_view kBuildHint = "Build it with relax.build and export_library.";

base::Error noExecutable(const std::string& file, std::string detail) {
  return {base::ErrorCode::Format, file + ": this .so holds no TVM VM executable.", std::move(detail),
          std::string(kBuildHint)};
}

struct FoundBlob {
  LibraryBlob blob;
  std::string_view bytes;  ///< from its size on
  KernelCalls kernelCalls = KernelCalls::Prefixed;
};

base::Result<FoundBlob> readBlob(const runtime::ElfImage& image) {
  const bool isNew = image.findSymbol(kLibraryBlobSymbol) != nullptr;
  const std::string_view symbol = isNew ? kLibraryBlobSymbol : kOldLibraryBlobSymbol;
  if (image.findSymbol(symbol) == nullptr) {
    return noExecutable(image.file(), fmt::format("It has no symbol {}.", kLibraryBlobSymbol));
  }
  const std::optional<std::string_view> bytes = image.dataOfSymbol(symbol);
  if (!bytes) {
    return base::Error{base::ErrorCode::Format, image.file() + ": the library is cut short.",
                       fmt::format("The bytes of its symbol {} are not all in the file.", symbol),
                       "Copy the file again, or export it again with export_library."};
  }
  FoundBlob found;
  found.bytes = *bytes;
  found.kernelCalls = isNew ? KernelCalls::Prefixed : KernelCalls::Plain;
  OPSCOPE_TRY_ASSIGN(
      found.blob, isNew ? parseLibraryBlob(*bytes, image.file()) : parseOldLibraryBlob(*bytes, image.file()));
  return found;
}

/// What stands in place of the blob when the library is loaded: the executable is decoded already, and
/// tvm-ffi would copy it once more.
runtime::Replacement withoutExecutable(const runtime::ElfImage& image, const FoundBlob& found) {
  runtime::Replacement replacement;
  replacement.offset = static_cast<std::uint64_t>(found.bytes.data() - image.bytes().data());
  replacement.size = found.blob.size;
  if (found.kernelCalls == KernelCalls::Prefixed) {
    replacement.bytes = serialiseLibraryBlob(found.blob, kExecutableKind);
  }
  return replacement;
}

bool defines(const runtime::ElfImage& image, std::string_view symbol) {
  return image.findSymbol(symbol) != nullptr;
}

// The slots that a library fills in at loading changed with 0.26; a library without packed calls has none of
// them. The check of strings came with 0.27.
std::string guessTvmVersion(const runtime::ElfImage& image, const ExecutableData& data, KernelCalls calls) {
  // 0.21 has all of the old and 0.25 all of the new; what lies between mixes them.
  const bool isOldFormat = data.formatMagic == kFormatMagicV1;
  if (isOldFormat || calls == KernelCalls::Plain) {
    return isOldFormat && calls == KernelCalls::Plain ? "0.21" : "0.22 to 0.24 (untried)";
  }
  if (findFunction(data, "vm.builtin.check_string_info") >= 0) {
    return "0.27";
  }
  if (defines(image, "__TVMFFIEnvModLookupFromImports") || defines(image, "__TVMFFIHandleInitOnce")) {
    return "0.26 or 0.27";
  }
  if (defines(image, "__TVMBackendGetFuncFromEnv")) {
    return "0.25";
  }
  return "0.25 to 0.27";
}

std::vector<std::string> requiredSymbols(const runtime::ElfImage& image) {
  std::vector<std::string> names;
  for (const runtime::ElfSymbol& symbol : image.undefinedSymbols()) {
    if (!symbol.weak) {
      names.emplace_back(symbol.name);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

base::Result<ExecutableFile> readExecutableFile(const std::filesystem::path& path,
                                                Architectures architectures) {
  OPSCOPE_TRY_ASSIGN(std::shared_ptr<const runtime::LibraryBytes> content, runtime::LibraryBytes::read(path));
  if (!runtime::isLinkable(content->view())) {
    return parseExecutableFile(std::move(content), path, architectures);
  }
  OPSCOPE_TRY_ASSIGN(std::shared_ptr<const runtime::LibraryBytes> linked,
                     runtime::linkObjects(content->view(), path.string()));
  OPSCOPE_TRY_ASSIGN(ExecutableFile file, parseExecutableFile(std::move(linked), path, architectures));
  file.linkedFrom = std::move(content);
  return file;
}

base::Result<ExecutableFile> parseExecutableFile(const std::shared_ptr<const std::string>& content,
                                                 const std::filesystem::path& path,
                                                 Architectures architectures) {
  return parseExecutableFile(runtime::LibraryBytes::of(*content), path, architectures);
}

base::Result<ExecutableFile> parseExecutableFile(std::shared_ptr<const runtime::LibraryBytes> content,
                                                 const std::filesystem::path& path,
                                                 Architectures architectures) {
  OPSCOPE_TRY_ASSIGN(const runtime::ElfImage image, runtime::ElfImage::parse(content, path.string()));
  if (architectures == Architectures::Host) {
    OPSCOPE_TRY(image.checkRunsHere());
  }
  OPSCOPE_TRY_ASSIGN(const FoundBlob found, readBlob(image));
  const LibraryBlob& blob = found.blob;
  ExecutableFile file;
  file.kernelCalls = found.kernelCalls;
  for (const EmbeddedModule& module : blob.modules) {
    file.moduleKinds.push_back(module.kind);
  }
  const std::int64_t index = blob.find(kExecutableKind);
  if (index < 0) {
    return noExecutable(image.file(), fmt::format("Its modules are {}; none of them is {}.",
                                                  fmt::join(file.moduleKinds, ", "), kExecutableKind));
  }
  const std::string_view body = blob.modules[static_cast<std::size_t>(index)].body;
  OPSCOPE_TRY_ASSIGN(file.data,
                     decodeExecutable(content, static_cast<std::uint64_t>(body.data() - image.bytes().data()),
                                      body.size(), image.file()));
  file.replacement = withoutExecutable(image, found);
  file.path = path;
  file.content = std::move(content);
  file.architecture = image.architecture();
  file.tvmVersion = guessTvmVersion(image, *file.data, file.kernelCalls);
  file.kernels = listKernels(image, *file.data, file.kernelCalls,
                             {file.data->bodyOffset, file.data->bodyOffset + file.data->bodySize});
  file.undefinedSymbols = requiredSymbols(image);
  return file;
}

}  // namespace opscope::vm
