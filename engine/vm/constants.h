// SPDX-License-Identifier: Apache-2.0
// The constant pool of an executable as values.
#pragma once

#include <tvm/ffi/any.h>

#include <mutex>
#include <optional>
#include <vector>

#include "engine/base/result.h"
#include "engine/vm/executable.h"

namespace opscope::vm {

/// Made when the first machine of an executable is, and shared by its machines. Any thread.
class ConstantPool {
 public:
  /// Every constant as a value. Tensors have aligned memory: those of the file's image are moved to the
  /// nearest aligned place in it, so that they are never held twice; what has no room there, and element
  /// types smaller than a byte, are copied. The values keep the image. Errors: Format, naming the constant,
  /// for a tensor whose bytes do not fit its shape; Unsupported for memory scopes that the CPU does not have.
  base::Result<std::vector<tvm::ffi::Any>> values(const ExecutableData& data) const;

 private:
  mutable std::mutex m_mutex;
  mutable std::optional<std::vector<tvm::ffi::Any>> m_values;
};

/// The same for `data` that has no pool of its own: nothing is moved, tensors are copied.
base::Result<std::vector<tvm::ffi::Any>> makeConstants(const ExecutableData& data);

}  // namespace opscope::vm
