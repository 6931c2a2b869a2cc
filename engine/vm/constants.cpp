// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/constants.h"

#include <fmt/format.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/string.h>

#include <memory>
#include <string_view>
#include <utility>

#include "engine/runtime/ffi_error.h"
#include "engine/runtime/library_bytes.h"
#include "engine/runtime/storage.h"
#include "engine/runtime/tensor_copy.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

/// Keeps the image that a tensor lies in.
struct ImageOwner {
  std::shared_ptr<const runtime::LibraryBytes> image;
  char* place;
  void AllocData(DLTensor* tensor) { tensor->data = place; }
  void FreeData(DLTensor*) {}
};

DLDataType dtypeOf(const TensorConstant& tensor) {
  return {tensor.type.code, tensor.type.bits, tensor.type.lanes};
}

ffi::ShapeView shapeOf(const TensorConstant& tensor) {
  return {tensor.shape.data(), tensor.shape.size()};
}

class ConstantMaker {
 public:
  explicit ConstantMaker(const ExecutableData& data)
      : m_data(data), m_values(data.constants.size()), m_allocator(runtime::AllocatorKind::Naive) {}

  base::Result<std::vector<ffi::Any>> make(bool mayMove) {
    OPSCOPE_TRY(checkScopes());
    if (mayMove) {
      OPSCOPE_TRY(moveTensors());
    }
    for (std::size_t i = 0; i < m_data.constants.size(); ++i) {
      if (m_values[i].type_index() == kTVMFFINone) {
        OPSCOPE_TRY_ASSIGN(m_values[i], copyOf(i));
      }
    }
    return std::move(m_values);
  }

 private:
  base::Result<> checkScopes() const {
    for (const MemoryScope& scope : m_data.memoryScopes) {
      if (!scope.scope.empty() && scope.scope != "global") {
        return base::Error{base::ErrorCode::Unsupported,
                           fmt::format("constant {} wants memory scope \"{}\", which the CPU does not have",
                                       scope.constant, scope.scope),
                           {},
                           {}};
      }
    }
    return {};
  }

  /// TVM stores each element of a type smaller than a byte in a byte of its own; in memory they are packed.
  static bool isWholeBytes(const TensorConstant& tensor) {
    return tensor.type.bits % 8 == 0 && tensor.size == runtime::tensorBytes(shapeOf(tensor), dtypeOf(tensor));
  }

  base::Result<> moveTensors() {
    std::vector<std::size_t> numbers;
    std::vector<runtime::LibraryBytes::Piece> pieces;
    for (std::size_t i = 0; i < m_data.constants.size(); ++i) {
      const auto* tensor = std::get_if<TensorConstant>(&m_data.constants[i]);
      if (tensor == nullptr) {
        continue;
      }
      if (!isWholeBytes(*tensor)) {
        // Moved pieces may spend what lies between them, so this one is copied first.
        OPSCOPE_TRY_ASSIGN(m_values[i], copyOf(i));
        continue;
      }
      numbers.push_back(i);
      pieces.push_back({m_data.bodyOffset + tensor->offset, tensor->size});
    }
    base::Result<> copied;
    const auto copyNow = [&](std::size_t piece) {
      auto copy = copyOf(numbers[piece]);
      if (copy) {
        m_values[numbers[piece]] = *std::move(copy);
      } else if (copied) {
        copied = std::move(copy).error();
      }
    };
    const std::vector<char*> places = m_data.bytes->movePieces(
        pieces, m_data.bodyOffset, m_data.bodyOffset + m_data.bodySize, runtime::kTensorAlignment, copyNow);
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (places[i] != nullptr) {
        const auto& tensor = std::get<TensorConstant>(m_data.constants[numbers[i]]);
        m_values[numbers[i]] = ffi::Tensor::FromNDAlloc(ImageOwner{m_data.bytes, places[i]}, shapeOf(tensor),
                                                        dtypeOf(tensor), DLDevice{kDLCPU, 0});
      }
    }
    return copied;
  }

  base::Result<ffi::Any> copyOf(std::size_t number) {
    const std::string where = fmt::format("constant {}", number);
    auto made = runtime::guarded(base::ErrorCode::Format, where,
                                 [&] { return std::visit(*this, m_data.constants[number]); });
    if (!made) {
      base::Error error = std::move(made).error();
      if (!error.message.starts_with(where)) {
        error.message = where + ": " + error.message;
      }
      return error;
    }
    return made;
  }

 public:
  base::Result<ffi::Any> operator()(const TensorConstant& tensor) {
    const std::string_view body = m_data.bytes == nullptr
                                      ? std::string_view()
                                      : m_data.bytes->view().substr(m_data.bodyOffset, m_data.bodySize);
    if (tensor.offset > body.size() || tensor.size > body.size() - tensor.offset) {
      return base::Error{base::ErrorCode::Format, "its bytes lie outside the executable", {}, {}};
    }
    OPSCOPE_TRY_ASSIGN(ffi::Tensor made,
                       runtime::tensorFromBytes(m_allocator, shapeOf(tensor), dtypeOf(tensor),
                                                body.substr(tensor.offset, tensor.size)));
    return ffi::Any(std::move(made));
  }
  base::Result<ffi::Any> operator()(const ShapeConstant& shape) { return ffi::Any(ffi::Shape(shape.values)); }
  base::Result<ffi::Any> operator()(const std::string& text) { return ffi::Any(ffi::String(text)); }
  base::Result<ffi::Any> operator()(const DataType& type) {
    return ffi::Any(DLDataType{type.code, type.bits, type.lanes});
  }
  base::Result<ffi::Any> operator()(std::int64_t value) { return ffi::Any(value); }
  base::Result<ffi::Any> operator()(double value) { return ffi::Any(value); }

 private:
  const ExecutableData& m_data;
  std::vector<ffi::Any> m_values;
  /// Constants have one of their own, so that a machine's counters speak of intermediate tensors only.
  runtime::StorageAllocator m_allocator;
};

}  // namespace

base::Result<std::vector<ffi::Any>> ConstantPool::values(const ExecutableData& data) const {
  const std::lock_guard lock(m_mutex);
  if (!m_values.has_value()) {
    OPSCOPE_TRY_ASSIGN(m_values, ConstantMaker(data).make(true));
  }
  return *m_values;
}

base::Result<std::vector<ffi::Any>> makeConstants(const ExecutableData& data) {
  return data.constantPool != nullptr ? data.constantPool->values(data) : ConstantMaker(data).make(false);
}

}  // namespace opscope::vm
