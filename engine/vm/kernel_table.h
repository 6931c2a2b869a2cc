// SPDX-License-Identifier: Apache-2.0
// The kernels that a library exports, with the signatures that TVM keeps as text in it. Any thread.
#pragma once

#include <vector>

#include "engine/runtime/elf_image.h"
#include "engine/vm/executable_file.h"

namespace opscope::vm {

/// Prefix of every function that a library of TVM 0.25 to 0.27 exports.
inline constexpr std::string_view kFunctionPrefix = "__tvm_ffi_";

/// A part of the file that holds no text of kernels.
struct SkippedBytes {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// First the functions of the table that the library exports, in the table's order; then exported functions
/// that it does not name, in the order of the symbol table (compiled mode; kernels that a builtin took the
/// place of).
std::vector<KernelInfo> listKernels(const runtime::ElfImage& image, const ExecutableData& data,
                                    KernelCalls calls, SkippedBytes skipped);

}  // namespace opscope::vm
