// SPDX-License-Identifier: Apache-2.0
// Symbolic shapes: the heap of dimension values, and shapes and scalars made from it. Codes as TVM's
// MatchShapeCode and MakeShapeCode.
#include <fmt/format.h>

#include <array>
#include <climits>
#include <cstring>
#include <vector>

#include "engine/vm/builtins/arguments.h"
#include "engine/vm/builtins/families.h"
#include "engine/vm/host_tensor.h"
#include "engine/vm/machine_context.h"
#include "engine/vm/value_text.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

/// A program has a few slots for each symbolic dimension; a damaged one must not fill the memory.
constexpr std::int64_t kMostSlots = 1 << 20;

enum MatchCode : std::int64_t { kEqualsImmediate = 0, kStore = 1, kSkip = 2, kEqualsHeap = 3 };
enum MakeCode : std::int64_t { kImmediate = 0, kFromHeap = 1 };

/// The heap argument: an int64 vector in host memory, or nothing when the executable needs none.
class Heap {
 public:
  Heap(const Arguments& arguments, std::int32_t index) : m_name(arguments.name()) {
    const DLTensor* tensor = arguments.tensorOrNull(index);
    if (tensor == nullptr) {
      if (arguments.at(index) != nullptr) {
        arguments.failType(index, "a shape heap or none");
      }
      return;
    }
    const bool usable = tensor->ndim == 1 && tensor->dtype.code == kDLInt && tensor->dtype.bits == 64 &&
                        tensor->dtype.lanes == 1 && tensor->device.device_type == kDLCPU;
    if (!usable) {
      arguments.failType(index, "a shape heap, a vector of int64 on the host");
    }
    m_data = reinterpret_cast<std::int64_t*>(static_cast<char*>(tensor->data) + tensor->byte_offset);
    m_size = tensor->shape[0];
  }
  std::int64_t& slot(std::int64_t index) const {
    if (index < 0 || index >= m_size) {
      raise("IndexError", fmt::format("{}: shape heap of {} slots has no slot {}", m_name, m_size, index));
    }
    return m_data[index];
  }

 private:
  const char* m_name;
  std::int64_t* m_data = nullptr;
  std::int64_t m_size = 0;
};

[[noreturn]] void failMatch(const Arguments& arguments, std::int32_t contextIndex, const std::string& what) {
  const std::string place =
      contextIndex < arguments.size() ? contextText(arguments.at(contextIndex)) : std::string();
  raise("RuntimeError", fmt::format("{}{}{}", place, place.empty() ? "" : ": ", what));
}

/// Compares or stores one value as `code` says; false when it does not match.
bool matchValue(const Arguments& arguments, const Heap& heap, std::int64_t code, std::int64_t operand,
                std::int64_t value) {
  switch (code) {
    case kEqualsImmediate:
      return value == operand;
    case kStore:
      heap.slot(operand) = value;
      return true;
    case kSkip:
      return true;
    case kEqualsHeap:
      return value == heap.slot(operand);
    default:
      arguments.failValue(fmt::format("unknown match code {}", code));
  }
}

std::int64_t expectedValue(const Heap& heap, std::int64_t code, std::int64_t operand) {
  return code == kEqualsHeap ? heap.slot(operand) : operand;
}

ffi::ShapeView matchedShape(const Arguments& arguments) {
  if (const DLTensor* tensor = arguments.tensorOrNull(0)) {
    return shapeOf(*tensor);
  }
  if (arguments.at(0).type_index() != kTVMFFIShape) {
    arguments.failType(0, "a tensor or a shape");
  }
  return arguments.shape(0);
}

// (vm, slots) -> heap
void allocShapeHeap(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.alloc_shape_heap", packed);
  arguments.requireCount(2, 2);
  MachineContext& machine = arguments.machine(0);
  machine.throwIfStopped();
  const std::int64_t slots = arguments.integer(1);
  if (slots < 0 || slots > kMostSlots) {
    arguments.failValue(fmt::format("{} slots, expected 0 to {}", slots, kMostSlots));
  }
  ffi::Tensor heap = runtime::emptyTensor(machine.allocator(), ffi::ShapeView(&slots, 1),
                                          DLDataType{kDLInt, 64, 1}, machine.devices().back());
  std::memset(heap.data_ptr(), 0, static_cast<std::size_t>(slots) * sizeof(std::int64_t));
  *result = std::move(heap);
}

// (tensor or shape, heap or none, n, n x (code, operand), context)
void matchShape(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.match_shape", packed);
  arguments.requireCount(3, INT_MAX);
  const ffi::ShapeView shape = matchedShape(arguments);
  const std::int64_t size = arguments.integer(2);
  if (size < 0 || size > (arguments.size() - 3) / 2) {
    arguments.failValue(
        fmt::format("{} dimensions need more arguments than the {} given", size, arguments.size()));
  }
  const auto contextIndex = static_cast<std::int32_t>(3 + size * 2);
  const Heap heap(arguments, 1);
  if (static_cast<std::int64_t>(shape.size()) != size) {
    failMatch(arguments, contextIndex,
              fmt::format("expected {} dimensions, got {}", size, shapeText({shape.data(), shape.size()})));
  }
  for (std::int32_t i = 0; i < size; ++i) {
    const std::int64_t code = arguments.integer(3 + i * 2);
    const std::int64_t operand = arguments.integer(4 + i * 2);
    if (!matchValue(arguments, heap, code, operand, shape[static_cast<std::size_t>(i)])) {
      failMatch(
          arguments, contextIndex,
          fmt::format("expected {} in dimension {}, got {} (shape {}){}", expectedValue(heap, code, operand),
                      i, shape[static_cast<std::size_t>(i)], shapeText({shape.data(), shape.size()}),
                      code == kEqualsHeap ? "; an earlier argument set this dimension" : ""));
    }
  }
}

// (value, heap or none, code, operand, context)
void matchPrimValue(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.match_prim_value", packed);
  arguments.requireCount(4, 5);
  const std::int64_t value = arguments.integer(0);
  const Heap heap(arguments, 1);
  const std::int64_t code = arguments.integer(2);
  const std::int64_t operand = arguments.integer(3);
  if (!matchValue(arguments, heap, code, operand, value)) {
    failMatch(arguments, 4, fmt::format("expected {}, got {}", expectedValue(heap, code, operand), value));
  }
}

std::int64_t makeValue(const Arguments& arguments, const Heap& heap, std::int64_t code,
                       std::int64_t operand) {
  switch (code) {
    case kImmediate:
      return operand;
    case kFromHeap:
      return heap.slot(operand);
    default:
      arguments.failValue(fmt::format("unknown shape code {}", code));
  }
}

// (heap or none, code, operand) -> int
void makePrimValue(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.make_prim_value", packed);
  arguments.requireCount(3, 3);
  *result = makeValue(arguments, Heap(arguments, 0), arguments.integer(1), arguments.integer(2));
}

// (heap or none, n, n x (code, operand)) -> shape
void makeShape(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.make_shape", packed);
  arguments.requireCount(2, INT_MAX);
  const Heap heap(arguments, 0);
  const std::int64_t size = arguments.integer(1);
  if (size < 0 || size > (arguments.size() - 2) / 2) {
    arguments.failValue(
        fmt::format("{} dimensions need more arguments than the {} given", size, arguments.size()));
  }
  std::vector<std::int64_t> shape(static_cast<std::size_t>(size));
  for (std::int32_t i = 0; i < size; ++i) {
    shape[static_cast<std::size_t>(i)] =
        makeValue(arguments, heap, arguments.integer(2 + i * 2), arguments.integer(3 + i * 2));
  }
  *result = ffi::Shape(std::move(shape));
}

// (tensor) -> shape
void shapeOfTensor(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.shape_of", packed);
  arguments.requireCount(1, 1);
  const ffi::ShapeView shape = shapeOf(arguments.tensor(0));
  *result = ffi::Shape(shape.begin(), shape.end());
}

// (integer vector) -> shape
void tensorToShape(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.tensor_to_shape", packed);
  arguments.requireCount(1, 1);
  const DLTensor& tensor = arguments.tensor(0);
  if (tensor.ndim != 1) {
    arguments.failType(0, "a vector of integers");
  }
  const std::int64_t stride = tensor.strides == nullptr ? 1 : tensor.strides[0];
  std::vector<std::int64_t> shape(static_cast<std::size_t>(tensor.shape[0]));
  for (std::size_t i = 0; i < shape.size(); ++i) {
    shape[i] = integerElement(arguments.name(), tensor, static_cast<std::int64_t>(i) * stride);
  }
  *result = ffi::Shape(std::move(shape));
}

constexpr std::array kBuiltins = {
    Builtin{"vm.builtin.alloc_shape_heap", allocShapeHeap},
    Builtin{"vm.builtin.match_shape", matchShape},
    Builtin{"vm.builtin.match_prim_value", matchPrimValue},
    Builtin{"vm.builtin.make_prim_value", makePrimValue},
    Builtin{"vm.builtin.make_shape", makeShape},
    Builtin{"vm.builtin.shape_of", shapeOfTensor},
    Builtin{"vm.builtin.tensor_to_shape", tensorToShape},
};

}  // namespace

std::span<const Builtin> shapeBuiltins() {
  return kBuiltins;
}

}  // namespace opscope::vm
