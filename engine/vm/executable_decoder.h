// SPDX-License-Identifier: Apache-2.0
// Decodes the serialised VM executable (VMExecutable::SaveToBytes of TVM 0.21 to 0.27: magic V1 or V2,
// version 0.14) from untrusted bytes. Any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/vm/executable.h"

namespace opscope::vm {

/// Decodes and checks [offset, offset + size) of `bytes`; the result keeps them, tensor constants point into
/// them. After success every
/// index in it may be used unchecked: functions, constants, registers (or void and VM), jump targets within
/// their function; a bytecode function ends in ret or goto; If jumps forward by 2 or more; parameter names
/// are none or one for each argument. Sub-byte tensors have one byte for each element, as in TVM's file
/// format. Errors: Format with byte offset, field, found and expected; Unsupported for other versions of the
/// format; Internal when `bytes` were decoded before.
base::Result<std::shared_ptr<const ExecutableData>> decodeExecutable(
    std::shared_ptr<const runtime::LibraryBytes> bytes, std::uint64_t offset, std::uint64_t size,
    std::string_view fileForMessages);
/// The same for an executable by itself.
base::Result<std::shared_ptr<const ExecutableData>> decodeExecutable(std::string bytes,
                                                                     std::string_view fileForMessages);

/// Most registers and arguments that one function may have, and most arguments of all functions together: far
/// above what compilers write, low enough that a damaged number exhausts no memory.
inline constexpr std::int64_t kMaximumRegisters = std::int64_t{1} << 20;
inline constexpr std::int64_t kMaximumArguments = std::int64_t{1} << 16;
inline constexpr std::int64_t kMaximumArgumentsInAll = std::int64_t{1} << 18;

}  // namespace opscope::vm
