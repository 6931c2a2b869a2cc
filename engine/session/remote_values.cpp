// SPDX-License-Identifier: Apache-2.0
#include "engine/session/remote_values.h"

#include <fmt/format.h>
#include <tvm/ffi/any.h>
#include <tvm/ffi/string.h>

#include <algorithm>
#include <type_traits>

#include "engine/rpc/remote_calls.h"
#include "engine/session/ffi_values.h"

namespace opscope::session {

namespace {

base::Error badValue(std::string_view place, std::string what) {
  return {base::ErrorCode::InvalidArgument, fmt::format("{}: {}", place, what), "", ""};
}

DLDataType dataTypeOf(arrays::ElementType type) {
  return {static_cast<std::uint8_t>(type.code), type.bits, type.lanes};
}

}  // namespace

bool RemoteValues::takesObjects() const {
  return m_client.server().encoding == rpc::Encoding::Tvm022;
}

base::Result<RemoteValue> RemoteValues::call(const std::string& function, std::vector<rpc::Value> arguments) {
  OPSCOPE_TRY_ASSIGN(const rpc::FunctionHandle handle, m_client.keptFunction(function));
  OPSCOPE_TRY_ASSIGN(rpc::CallResult result, m_client.call(handle, arguments));
  return take(std::move(result));
}

RemoteValue RemoteValues::take(rpc::CallResult result) {
  RemoteValue value;
  const bool is021 = m_client.server().encoding == rpc::Encoding::Tvm021;
  const auto arrayTag = is021 ? std::int32_t{69} : static_cast<std::int32_t>(rpc::Tag::Array);
  if (auto* const view = std::get_if<rpc::TensorView>(&result.value)) {
    value.tensor = *view;
    value.owner = rpc::OwnedHandle(m_client, result.owner);
    value.argument =
        takesObjects() && result.owner != 0 ? rpc::Value(rpc::ObjectHandle{result.owner}) : rpc::Value(*view);
    return value;
  }
  if (const auto* const object = std::get_if<rpc::ObjectHandle>(&result.value)) {
    value.owner = rpc::OwnedHandle(m_client, object->handle);
    value.isArray = result.typeTag == arrayTag;
  } else if (const auto* const function = std::get_if<rpc::FunctionHandle>(&result.value)) {
    value.owner = rpc::OwnedHandle(m_client, function->handle);
  } else if (const auto* const module = std::get_if<rpc::ModuleHandle>(&result.value)) {
    value.owner = rpc::OwnedHandle(m_client, module->handle);
  }
  if (std::holds_alternative<rpc::BytesView>(result.value)) {
    value.argument = rpc::Bytes{std::string(result.bytes().value_or(std::string_view())), false};
  } else {
    value.argument = std::move(result.value);
  }
  return value;
}

base::Result<RemoteValue> RemoteValues::makeShape(const std::vector<std::int64_t>& values) {
  return call("ffi.Shape", {values.begin(), values.end()});
}

base::Result<RemoteValue> RemoteValues::makeTensor(const std::vector<std::int64_t>& shape, DLDataType type) {
  if (takesObjects()) {
    const char* const name = m_client.server().kind == rpc::ServerKind::Opscope
                                 ? "opscope.make_tensor"
                                 : "runtime.TVMTensorAllocWithScope";
    OPSCOPE_TRY_ASSIGN(const auto function, m_client.globalFunction(name));
    if (function) {
      const rpc::OwnedHandle owner(m_client, function->handle);
      OPSCOPE_TRY_ASSIGN(const RemoteValue extents, makeShape(shape));
      OPSCOPE_TRY_ASSIGN(rpc::CallResult made,
                         m_client.call(*function, {extents.argument, type, m_device, std::monostate{}}));
      return take(std::move(made));
    }
  }
  rpc::TensorView view;
  view.device = m_device;
  view.dtype = type;
  view.shape = shape;
  RemoteValue value;
  OPSCOPE_TRY_ASSIGN(value.memory, rpc::RemoteTensor::allocate(m_client, std::move(view)));
  value.tensor = value.memory.view();
  value.argument = value.memory.view();
  return value;
}

base::Result<RemoteValue> RemoteValues::copyOver(const arrays::Array& array) {
  OPSCOPE_TRY_ASSIGN(RemoteValue value, makeTensor(array.shape(), dataTypeOf(array.type())));
  if (array.byteSize() > 0) {
    OPSCOPE_TRY(m_client.copyTo(*value.tensor, {array.data(), array.byteSize()}));
  }
  return value;
}

base::Result<rpc::Value> RemoteValues::arrayOf(std::vector<rpc::Value> members,
                                               std::deque<RemoteValue>& made) {
  if (std::ranges::any_of(members, [](const rpc::Value& member) {
        return std::holds_alternative<rpc::TensorView>(member);
      })) {
    return base::Error{base::ErrorCode::Unsupported, "This board's server cannot take tuples of tensors.",
                       fmt::format("{} is of TVM 0.21 or older.", m_client.peer()),
                       "Run opscope-server on the board."};
  }
  OPSCOPE_TRY_ASSIGN(RemoteValue array, call("ffi.Array", std::move(members)));
  made.push_back(std::move(array));
  return made.back().argument;
}

base::Result<rpc::Value> RemoteValues::wholeOf(const RemoteValue& value, std::deque<RemoteValue>& made) {
  if (!value.isTuple) {
    return value.argument;
  }
  std::vector<rpc::Value> members;
  for (const RemoteValue& member : value.members) {
    OPSCOPE_TRY_ASSIGN(rpc::Value argument, wholeOf(member, made));
    members.push_back(std::move(argument));
  }
  return arrayOf(std::move(members), made);
}

base::Result<const RemoteValue*> RemoteValues::memberOf(const RemoteValue& value, std::int64_t index,
                                                        std::string_view place,
                                                        std::deque<RemoteValue>& made) {
  if (value.isTuple) {
    if (index < 0 || static_cast<std::size_t>(index) >= value.members.size()) {
      return badValue(
          place, fmt::format("member {} is asked for, but the tuple has {}.", index, value.members.size()));
    }
    return &value.members[static_cast<std::size_t>(index)];
  }
  if (!value.isArray) {
    return badValue(place, fmt::format("member {} is asked for, but the result is no tuple.", index));
  }
  OPSCOPE_TRY_ASSIGN(RemoteValue member, call("ffi.ArrayGetItem", {value.argument, index}));
  made.push_back(std::move(member));
  return &made.back();
}

base::Result<rpc::Value> RemoteValues::resultAsArgument(const StepResult& wanted,
                                                        const std::deque<RemoteValue>& results,
                                                        std::string_view place,
                                                        std::deque<RemoteValue>& made) {
  if (wanted.step >= results.size()) {
    return badValue(place, fmt::format("there is no result of step {} yet.", wanted.step));
  }
  const RemoteValue* value = &results[wanted.step];
  for (const std::int64_t index : wanted.index) {
    OPSCOPE_TRY_ASSIGN(value, memberOf(*value, index, place, made));
  }
  if (!wanted.reshaped) {
    return wholeOf(*value, made);
  }
  if (!value->tensor) {
    return badValue(place, "\"reshape\" needs a tensor.");
  }
  OPSCOPE_TRY_ASSIGN(const RemoteValue shape, makeShape(wanted.shape));
  OPSCOPE_TRY_ASSIGN(RemoteValue reshaped, call("vm.builtin.reshape", {value->argument, shape.argument}));
  made.push_back(std::move(reshaped));
  return made.back().argument;
}

base::Result<rpc::Value> RemoteValues::argumentOf(const InputValue& input,
                                                  const std::deque<RemoteValue>& results,
                                                  std::string_view place, std::deque<RemoteValue>& made) {
  const auto keep = [&made](base::Result<RemoteValue> value) -> base::Result<rpc::Value> {
    if (!value) {
      return std::move(value).error();
    }
    made.push_back(*std::move(value));
    return made.back().argument;
  };
  return std::visit(
      [&](const auto& value) -> base::Result<rpc::Value> {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, NoneValue>) {
          return rpc::Value();
        } else if constexpr (std::is_same_v<T, arrays::Array>) {
          return keep(copyOver(value));
        } else if constexpr (std::is_same_v<T, ShapeValue>) {
          return keep(makeShape(value.values));
        } else if constexpr (std::is_same_v<T, TupleValue>) {
          std::vector<rpc::Value> members;
          for (const InputValue& member : value.members) {
            OPSCOPE_TRY_ASSIGN(rpc::Value argument, argumentOf(member, results, place, made));
            members.push_back(std::move(argument));
          }
          return arrayOf(std::move(members), made);
        } else if constexpr (std::is_same_v<T, StepResult>) {
          return resultAsArgument(value, results, place, made);
        } else {
          return rpc::Value(value);
        }
      },
      input.value);
}

base::Result<> RemoteValues::addOutput(const std::string& path, const RemoteValue& value, Outputs& outputs) {
  if (value.isTuple) {
    for (std::size_t i = 0; i < value.members.size(); ++i) {
      OPSCOPE_TRY(addOutput(fmt::format("{}/{}", path, i), value.members[i], outputs));
    }
    return {};
  }
  if (value.isArray) {
    OPSCOPE_TRY_ASSIGN(const RemoteValue size, call("ffi.ArraySize", {value.argument}));
    const auto* const count = std::get_if<std::int64_t>(&size.argument);
    for (std::int64_t i = 0; i < (count != nullptr ? *count : 0); ++i) {
      OPSCOPE_TRY_ASSIGN(const RemoteValue member, call("ffi.ArrayGetItem", {value.argument, i}));
      OPSCOPE_TRY(addOutput(fmt::format("{}/{}", path, i), member, outputs));
    }
    return {};
  }
  if (value.tensor) {
    const rpc::TensorView& view = *value.tensor;
    const arrays::ElementType type{static_cast<arrays::TypeCode>(view.dtype.code), view.dtype.bits,
                                   view.dtype.lanes};
    if (arrays::elementTypeName(type).empty()) {
      outputs.summaries.push_back({path, "a tensor of a type that files cannot hold", ""});
      return {};
    }
    OPSCOPE_TRY_ASSIGN(const std::size_t size, arrays::byteCount(type, view.shape));
    OPSCOPE_TRY_ASSIGN(arrays::Bytes bytes, arrays::Bytes::allocate(size));
    if (size > 0) {
      OPSCOPE_TRY(m_client.copyFrom(view, {bytes.data(), size}));
    }
    OPSCOPE_TRY_ASSIGN(const arrays::Array array, arrays::Array::make(type, view.shape, std::move(bytes)));
    return session::addOutput(path, tensorOf(array), outputs);
  }
  if (const auto* const number = std::get_if<std::int64_t>(&value.argument)) {
    return session::addOutput(path, tvm::ffi::Any(*number), outputs);
  }
  if (const auto* const flag = std::get_if<bool>(&value.argument)) {
    return session::addOutput(path, tvm::ffi::Any(*flag), outputs);
  }
  if (const auto* const number = std::get_if<double>(&value.argument)) {
    return session::addOutput(path, tvm::ffi::Any(*number), outputs);
  }
  if (const auto* const text = std::get_if<std::string>(&value.argument)) {
    return session::addOutput(path, tvm::ffi::Any(tvm::ffi::String(*text)), outputs);
  }
  if (std::holds_alternative<std::monostate>(value.argument)) {
    return session::addOutput(path, tvm::ffi::Any(nullptr), outputs);
  }
  outputs.summaries.push_back({path, "an object on the board", ""});
  return {};
}

}  // namespace opscope::session
