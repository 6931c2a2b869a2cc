// SPDX-License-Identifier: Apache-2.0
#include "engine/session/ffi_values.h"

#include <fmt/format.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/string.h>

#include <algorithm>
#include <memory>
#include <type_traits>

#include "engine/vm/value_text.h"

namespace opscope::session {

namespace ffi = tvm::ffi;

namespace {

/// Keeps the array's bytes alive as long as the tensor.
struct SharedBytesAllocation {
  std::shared_ptr<const arrays::Bytes> bytes;
  void AllocData(DLTensor* tensor) {  // NOLINT(readability-identifier-naming): tvm-ffi's name
    tensor->data = const_cast<std::byte*>(bytes->data());
  }
  void FreeData(DLTensor* /*tensor*/) {}  // NOLINT(readability-identifier-naming): tvm-ffi's name
};

base::Error badValue(std::string_view place, std::string what, std::string detail = {}) {
  return {base::ErrorCode::InvalidArgument, fmt::format("{}: {}", place, what), std::move(detail), ""};
}

base::Result<ffi::Any> reshaped(const ffi::Any& value, const std::vector<std::int64_t>& shape,
                                std::string_view place) {
  const auto tensor = objectOf<ffi::Tensor>(value);
  if (!tensor) {
    return badValue(place,
                    fmt::format("\"reshape\" needs a tensor, the result is {}.", vm::describeValue(value)));
  }
  if (!tensor->IsContiguous()) {
    return badValue(place, "\"reshape\" needs a compact tensor, the result has gaps.");
  }
  OPSCOPE_TRY_ASSIGN(const std::size_t wanted, arrays::elementCount(shape));
  if (static_cast<std::int64_t>(wanted) != tensor->numel()) {
    return badValue(place, fmt::format("\"reshape\" to {} does not fit.", vm::shapeText(shape)),
                    fmt::format("The result is {} with {} elements; the new shape has {}.",
                                vm::describeValue(value), tensor->numel(), wanted));
  }
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * shape[i];
  }
  return ffi::Any(tensor->as_strided(ffi::ShapeView(shape.data(), shape.size()),
                                     ffi::ShapeView(strides.data(), strides.size())));
}

base::Result<ffi::Any> resultOf(const StepResult& wanted, std::span<const ffi::Any> results,
                                std::string_view place) {
  if (wanted.step >= results.size()) {
    return badValue(place, fmt::format("there is no result of step {} yet.", wanted.step));
  }
  ffi::Any value = results[wanted.step];
  for (const std::int64_t index : wanted.index) {
    OPSCOPE_TRY_ASSIGN(value, memberOf(value, index, place));
  }
  return wanted.reshaped ? reshaped(value, wanted.shape, place) : base::Result<ffi::Any>(value);
}

base::Result<ffi::Any> tupleOf(const TupleValue& tuple, std::span<const ffi::Any> results,
                               std::string_view place) {
  ffi::Array<ffi::Any> members;
  members.reserve(static_cast<std::int64_t>(tuple.members.size()));
  for (const InputValue& member : tuple.members) {
    OPSCOPE_TRY_ASSIGN(ffi::Any value, valueOf(member, results, place));
    members.push_back(std::move(value));
  }
  return ffi::Any(members);
}

}  // namespace

ffi::Any tensorOf(const arrays::Array& array) {
  const arrays::ElementType type = array.type();
  return ffi::Tensor::FromNDAlloc(
      SharedBytesAllocation{array.bytes()}, ffi::ShapeView(array.shape().data(), array.shape().size()),
      DLDataType{static_cast<std::uint8_t>(type.code), type.bits, type.lanes}, DLDevice{kDLCPU, 0});
}

base::Result<ffi::Any> memberOf(const ffi::Any& value, std::int64_t index, std::string_view place) {
  const auto members = objectOf<ffi::Array<ffi::Any>>(value);
  if (!members) {
    return badValue(place, fmt::format("member {} is asked for, but the result is no tuple.", index),
                    fmt::format("It is {}.", vm::describeValue(value)));
  }
  if (index < 0 || index >= static_cast<std::int64_t>(members->size())) {
    return badValue(place,
                    fmt::format("member {} is asked for, but the tuple has {}.", index, members->size()),
                    "Members count from 0.");
  }
  return (*members)[index];
}

base::Result<ffi::Any> valueOf(const InputValue& input, std::span<const ffi::Any> results,
                               std::string_view place) {
  return std::visit(
      [&](const auto& value) -> base::Result<ffi::Any> {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, NoneValue>) {
          return ffi::Any(nullptr);
        } else if constexpr (std::is_same_v<T, arrays::Array>) {
          return tensorOf(value);
        } else if constexpr (std::is_same_v<T, ShapeValue>) {
          return ffi::Any(ffi::Shape(value.values));
        } else if constexpr (std::is_same_v<T, std::string>) {
          return ffi::Any(ffi::String(value));
        } else if constexpr (std::is_same_v<T, TupleValue>) {
          return tupleOf(value, results, place);
        } else if constexpr (std::is_same_v<T, StepResult>) {
          return resultOf(value, results, place);
        } else {
          return ffi::Any(value);
        }
      },
      input.value);
}

bool needsResults(const InputValue& input) {
  if (const auto* tuple = std::get_if<TupleValue>(&input.value)) {
    return std::ranges::any_of(tuple->members, needsResults);
  }
  return std::holds_alternative<StepResult>(input.value);
}

}  // namespace opscope::session
