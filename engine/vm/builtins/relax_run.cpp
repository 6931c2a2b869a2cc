// SPDX-License-Identifier: Apache-2.0
// relax.run.*: ops that TVM itself runs in Python, by numpy.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/dtype.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numeric>

#include "engine/runtime/storage.h"
#include "engine/vm/builtins/arguments.h"
#include "engine/vm/builtins/array_text.h"
#include "engine/vm/builtins/element_types.h"
#include "engine/vm/builtins/families.h"
#include "engine/vm/builtins/tensor_checks.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

constexpr DLDataType kInt64{kDLInt, 64, 1};

ffi::Tensor newTensor(const std::vector<std::int64_t>& shape, DLDataType type) {
  // The tensor may outlive the allocator, so one of its own serves a single one.
  runtime::StorageAllocator allocator(runtime::AllocatorKind::Naive);
  return runtime::emptyTensor(allocator, {shape.data(), shape.size()}, type, DLDevice{kDLCPU, 0});
}

ffi::Tensor newVector(const std::vector<std::int64_t>& values) {
  ffi::Tensor tensor = newTensor({static_cast<std::int64_t>(values.size())}, kInt64);
  if (!values.empty()) {
    std::memcpy(tensor.data_ptr(), values.data(), values.size() * sizeof(std::int64_t));
  }
  return tensor;
}

std::vector<std::string> textsFrom(const Arguments& arguments, std::int32_t first) {
  std::vector<std::string> texts;
  for (std::int32_t index = first; index < arguments.size(); ++index) {
    texts.push_back(pythonText(arguments.at(index)));
  }
  return texts;
}

// (format, values...): one line on standard output; without a format the values with spaces between
void print(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("relax.run.print", packed);
  arguments.requireCount(1, INT_MAX);
  const std::string format = arguments.text(0);
  const std::vector<std::string> texts = textsFrom(arguments, 1);
  const std::string line =
      (format.empty() ? fmt::format("{}", fmt::join(texts, " ")) : formatTexts(format, texts)) + "\n";
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

bool conditionOf(const Arguments& arguments) {
  const DLTensor* tensor = arguments.tensorOrNull(0);
  if (tensor == nullptr) {
    return arguments.integer(0) != 0;
  }
  hostTensor(arguments, 0);
  if (tensor->dtype.code != kDLBool) {
    arguments.failValue(fmt::format("the condition must be a bool scalar, it is a tensor of {}",
                                    std::string(ffi::DLDataTypeToString(tensor->dtype))));
  }
  if (tensor->ndim != 0) {
    arguments.failValue(fmt::format("the condition must be a scalar, it has {} dimensions", tensor->ndim));
  }
  return *elementsOf<const std::uint8_t>(*tensor) != 0;
}

// (condition, format, values...): AssertionError with the formatted text when the condition is false
void assertOp(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("relax.run.assert_op", packed);
  arguments.requireCount(2, INT_MAX);
  const std::string format = arguments.text(1);
  if (conditionOf(arguments)) {
    return;
  }
  const std::vector<std::string> texts = textsFrom(arguments, 2);
  raise("AssertionError", !format.empty()  ? formatTexts(format, texts)
                          : !texts.empty() ? fmt::format("{}", fmt::join(texts, ", "))
                                           : "Assertion Failed");
}

// (shape) -> int64 vector
void shapeToTensor(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("relax.run.shape_to_tensor", packed);
  arguments.requireCount(1, 1);
  const ffi::ShapeView shape = arguments.shape(0);
  *result = newVector({shape.begin(), shape.end()});
}

// (tensor) -> int64 [dimensions, number of elements that are not zero]: their positions in order
void nonzero(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("relax.run.nonzero", packed);
  arguments.requireCount(1, 1);
  const DLTensor& input = hostTensor(arguments, 0);
  std::vector<std::int64_t> positions;
  const bool known = visitElementType(input.dtype, [&](auto element) {
    using T = decltype(element);
    const T* elements = elementsOf<const T>(input);
    for (std::int64_t at = 0, count = elementCount(input); at < count; ++at) {
      if (toNumber(elements[at]) != 0) {
        positions.push_back(at);
      }
    }
  });
  if (!known) {
    failElementType(arguments, input.dtype);
  }
  // A scalar counts as a vector of one.
  const std::int32_t rank = std::max(input.ndim, 1);
  const auto found = static_cast<std::int64_t>(positions.size());
  ffi::Tensor output = newTensor({rank, found}, kInt64);
  auto* values = static_cast<std::int64_t*>(output.data_ptr());
  for (std::int32_t axis = rank - 1; axis >= 0; --axis) {
    const std::int64_t length = axis < input.ndim ? input.shape[axis] : 1;
    for (std::size_t index = 0; index < positions.size(); ++index) {
      values[axis * found + static_cast<std::int64_t>(index)] = positions[index] % length;
      positions[index] /= length;
    }
  }
  *result = output;
}

// The slices that unique compares: along one axis, or the single elements of the flattened tensor.
struct Slices {
  std::int64_t before = 1;
  std::int64_t length = 1;
  std::int64_t after = 1;
  std::int64_t at(std::int64_t slice, std::int64_t outer, std::int64_t inner) const {
    return (outer * length + slice) * after + inner;
  }
};

Slices slicesOf(const Arguments& arguments, const DLTensor& input, std::int64_t axis, bool flat) {
  Slices slices;
  if (flat) {
    slices.length = elementCount(input);
    return slices;
  }
  const std::int64_t position = axis < 0 ? axis + input.ndim : axis;
  if (position < 0 || position >= input.ndim) {
    arguments.failValue(fmt::format("axis {} is not one of a tensor with {} dimensions", axis, input.ndim));
  }
  for (std::int64_t at = 0; at < input.ndim; ++at) {
    (at < position ? slices.before : at == position ? slices.length : slices.after) *= input.shape[at];
  }
  return slices;
}

// Below zero, zero or above: numbers in order, those that are none last and equal to each other, as numpy
// sorts.
template <class Number>
int compareNumbers(Number left, Number right) {
  if constexpr (std::is_floating_point_v<Number>) {
    if (std::isnan(left) || std::isnan(right)) {
      return static_cast<int>(std::isnan(left)) - static_cast<int>(std::isnan(right));
    }
  }
  return left < right ? -1 : right < left ? 1 : 0;
}

template <class T>
int compareSlices(const T* elements, const Slices& slices, std::int64_t left, std::int64_t right) {
  for (std::int64_t outer = 0; outer < slices.before; ++outer) {
    for (std::int64_t inner = 0; inner < slices.after; ++inner) {
      const int order = compareNumbers(toNumber(elements[slices.at(left, outer, inner)]),
                                       toNumber(elements[slices.at(right, outer, inner)]));
      if (order != 0) {
        return order;
      }
    }
  }
  return 0;
}

struct Groups {
  std::vector<std::int64_t> first;    // slice where each group stands first
  std::vector<std::int64_t> inverse;  // group of each slice
  std::vector<std::int64_t> counts;
};

template <class T>
Groups groupSlices(const T* elements, const Slices& slices, bool sorted) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(slices.length));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t left, std::int64_t right) {
    return compareSlices(elements, slices, left, right) < 0;
  });
  Groups groups;
  groups.inverse.resize(order.size());
  for (std::size_t index = 0; index < order.size(); ++index) {
    if (index == 0 || compareSlices(elements, slices, order[index - 1], order[index]) != 0) {
      groups.first.push_back(order[index]);
      groups.counts.push_back(0);
    }
    ++groups.counts.back();
    groups.inverse[static_cast<std::size_t>(order[index])] =
        static_cast<std::int64_t>(groups.first.size()) - 1;
  }
  if (sorted) {
    return groups;
  }
  // In the order in which the slices stand in the input.
  std::vector<std::size_t> byPlace(groups.first.size());
  std::iota(byPlace.begin(), byPlace.end(), 0);
  std::sort(byPlace.begin(), byPlace.end(),
            [&](std::size_t left, std::size_t right) { return groups.first[left] < groups.first[right]; });
  Groups placed = groups;
  std::vector<std::int64_t> newNumber(byPlace.size());
  for (std::size_t index = 0; index < byPlace.size(); ++index) {
    placed.first[index] = groups.first[byPlace[index]];
    placed.counts[index] = groups.counts[byPlace[index]];
    newNumber[byPlace[index]] = static_cast<std::int64_t>(index);
  }
  for (std::int64_t& group : placed.inverse) {
    group = newNumber[static_cast<std::size_t>(group)];
  }
  return placed;
}

template <class T>
void copySlices(const T* from, T* to, const Slices& slices, const std::vector<std::int64_t>& chosen) {
  const auto count = static_cast<std::int64_t>(chosen.size());
  for (std::int64_t outer = 0; outer < slices.before; ++outer) {
    for (std::int64_t index = 0; index < count; ++index) {
      for (std::int64_t inner = 0; inner < slices.after; ++inner) {
        to[(outer * count + index) * slices.after + inner] =
            from[slices.at(chosen[static_cast<std::size_t>(index)], outer, inner)];
      }
    }
  }
}

// (tensor, sorted, return index, return inverse, return counts, axis or none) -> the unique elements or
// slices, alone or in a tuple with int64 vectors of what was asked for
void unique(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("relax.run.unique", packed);
  arguments.requireCount(5, 6);
  const DLTensor& input = hostTensor(arguments, 0);
  const bool flat = arguments.size() == 5 || arguments.at(5) == nullptr;
  const Slices slices = slicesOf(arguments, input, flat ? 0 : arguments.integer(5), flat);
  Groups groups;
  ffi::Tensor values;
  const bool known = visitElementType(input.dtype, [&](auto element) {
    using T = decltype(element);
    const T* elements = elementsOf<const T>(input);
    groups = groupSlices(elements, slices, arguments.integer(1) != 0);
    std::vector<std::int64_t> shape(input.shape, input.shape + input.ndim);
    if (flat) {
      shape.assign(1, 0);
    }
    const std::int64_t axis = flat ? 0 : arguments.integer(5);
    shape[static_cast<std::size_t>(axis < 0 ? axis + input.ndim : axis)] =
        static_cast<std::int64_t>(groups.first.size());
    values = newTensor(shape, input.dtype);
    copySlices(elements, static_cast<T*>(values.data_ptr()), slices, groups.first);
  });
  if (!known) {
    failElementType(arguments, input.dtype);
  }
  ffi::Array<ffi::Any> outputs{values};
  const std::vector<std::int64_t>* extras[] = {&groups.first, &groups.inverse, &groups.counts};
  for (std::int32_t index = 0; index < 3; ++index) {
    if (arguments.integer(2 + index) != 0) {
      outputs.push_back(newVector(*extras[index]));
    }
  }
  if (outputs.size() == 1) {
    *result = values;
  } else {
    *result = outputs;
  }
}

constexpr std::array kBuiltins = {
    Builtin{"relax.run.print", print},
    Builtin{"relax.run.assert_op", assertOp},
    Builtin{"relax.run.shape_to_tensor", shapeToTensor},
    Builtin{"relax.run.nonzero", nonzero},
    Builtin{"relax.run.unique", unique},
};

}  // namespace

std::span<const Builtin> relaxRunBuiltins() {
  return kBuiltins;
}

}  // namespace opscope::vm
