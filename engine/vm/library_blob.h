// SPDX-License-Identifier: Apache-2.0
// The module tree that TVM embeds in a library under the symbol `__tvm_ffi__library_bin`. Plain data, views
// into the caller's bytes; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace opscope::vm {

inline constexpr std::string_view kLibraryBlobSymbol = "__tvm_ffi__library_bin";
/// TVM 0.21's name for its blob, which has another layout.
inline constexpr std::string_view kOldLibraryBlobSymbol = "__tvm_ffi_library_bin";
inline constexpr std::string_view kExecutableKind = "relax.VMExecutable";
inline constexpr std::string_view kLibraryKind = "_lib";  ///< stands for the shared library itself; no body

struct EmbeddedModule {
  std::string kind;
  std::string_view body;             ///< view into the bytes given
  std::uint64_t bodyOffset = 0;      ///< of the body in them
  std::vector<std::size_t> imports;  ///< indices of the modules that it imports
};

/// Module 0 is the root.
struct LibraryBlob {
  std::uint64_t size = 0;  ///< in bytes, its own size field among them
  std::vector<EmbeddedModule> modules;
  /// Index of the first module of `kind`, or -1.
  std::int64_t find(std::string_view kind) const;
};

/// `bytes` begins with the u64 payload size and may be longer. Every length and index is checked; the import
/// tree has no cycle. Errors: Format, naming byte, field, found
/// and expected.
base::Result<LibraryBlob> parseLibraryBlob(std::string_view bytes, std::string_view fileForMessages);

/// The same for the layout of TVM 0.21: entries of a key and, for all keys but `_lib`, their bytes; the
/// import tree stands in an entry of its own.
base::Result<LibraryBlob> parseOldLibraryBlob(std::string_view bytes, std::string_view fileForMessages);

/// The bytes of a blob as parseLibraryBlob reads them; modules of the kind `withoutBody` have one zero byte
/// for a body.
std::string serialiseLibraryBlob(const LibraryBlob& blob, std::string_view withoutBody);

}  // namespace opscope::vm
