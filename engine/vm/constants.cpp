// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/constants.h"

#include <fmt/format.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/string.h>

#include "engine/runtime/ffi_error.h"
#include "engine/runtime/storage.h"
#include "engine/runtime/tensor_copy.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

/// Turns one constant into a value.
struct ConstantMaker {
  const ExecutableData& data;
  runtime::StorageAllocator& allocator;

  base::Result<ffi::Any> operator()(const TensorConstant& tensor) const {
    if (tensor.offset > data.bytes.size() || tensor.size > data.bytes.size() - tensor.offset) {
      return base::Error{base::ErrorCode::Format, "its bytes lie outside the executable", {}, {}};
    }
    const DLDataType dtype{tensor.type.code, tensor.type.bits, tensor.type.lanes};
    const ffi::ShapeView shape(tensor.shape.data(), tensor.shape.size());
    std::string_view bytes(data.bytes.data() + tensor.offset, tensor.size);
    // TVM stores each element of a type smaller than a byte in a byte of its own; only whole bytes are met.
    OPSCOPE_TRY_ASSIGN(ffi::Tensor made, runtime::tensorFromBytes(allocator, shape, dtype, bytes));
    return ffi::Any(std::move(made));
  }
  base::Result<ffi::Any> operator()(const ShapeConstant& shape) const {
    return ffi::Any(ffi::Shape(shape.values));
  }
  base::Result<ffi::Any> operator()(const std::string& text) const { return ffi::Any(ffi::String(text)); }
  base::Result<ffi::Any> operator()(const DataType& type) const {
    return ffi::Any(DLDataType{type.code, type.bits, type.lanes});
  }
  base::Result<ffi::Any> operator()(std::int64_t value) const { return ffi::Any(value); }
  base::Result<ffi::Any> operator()(double value) const { return ffi::Any(value); }
};

}  // namespace

base::Result<std::vector<ffi::Any>> makeConstants(const ExecutableData& data) {
  for (const MemoryScope& scope : data.memoryScopes) {
    if (!scope.scope.empty() && scope.scope != "global") {
      return base::Error{base::ErrorCode::Unsupported,
                         fmt::format("constant {} wants memory scope \"{}\", which the CPU does not have",
                                     scope.constant, scope.scope),
                         {},
                         {}};
    }
  }
  // Constants have an allocator of their own, so that a machine's counters speak of intermediate tensors
  // only.
  runtime::StorageAllocator allocator(runtime::AllocatorKind::Naive);
  const ConstantMaker maker{data, allocator};
  std::vector<ffi::Any> constants;
  constants.reserve(data.constants.size());
  for (std::size_t i = 0; i < data.constants.size(); ++i) {
    const std::string where = fmt::format("constant {}", i);
    auto made = runtime::guarded(base::ErrorCode::Format, where,
                                 [&] { return std::visit(maker, data.constants[i]); });
    if (!made) {
      base::Error error = std::move(made).error();
      if (!error.message.starts_with(where)) {
        error.message = where + ": " + error.message;
      }
      return error;
    }
    constants.push_back(*std::move(made));
  }
  return constants;
}

}  // namespace opscope::vm
