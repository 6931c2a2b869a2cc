// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/remote_translation.h"

#include <fmt/format.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/string.h>

#include <utility>

#include "engine/rpc/remote_module.h"
#include "engine/rpc/remote_tensor.h"

namespace opscope::rpc {

namespace ffi = tvm::ffi;

namespace {

[[noreturn]] void raiseValueError(std::string message) {
  throw ffi::Error("ValueError", std::move(message), "");
}

Value moduleArgument(const RemoteSessionObj& session, const ffi::AnyView& argument) {
  const auto module = argument.cast<ffi::Module>();
  const RemoteModuleObj& remote = remoteModuleOf(module);
  if (remote.session().get() != &session) {
    raiseValueError("Cannot pass in module into a different remote session");
  }
  if (remote.handle() == 0) {
    raiseValueError("Cannot pass the session itself to remote, only modules that were loaded there");
  }
  return ModuleHandle{remote.handle()};
}

Value objectArgument(const RemoteSessionObj& session, const ffi::AnyView& argument) {
  const auto* object = argument.as<RemoteObjectObj>();
  if (object == nullptr) {
    raiseValueError(fmt::format("Cannot pass type {} as an argument to the remote", argument.GetTypeKey()));
  }
  if (object->session().get() != &session) {
    raiseValueError("Cannot pass in object into a different remote session");
  }
  return ObjectHandle{object->handle()};
}

/// Bytes where they lie: in an object, in the argument itself when they are few, or in a caller's array.
Value bytesArgument(const ffi::AnyView& argument, const TVMFFIAny& raw) {
  if (raw.type_index == ffi::TypeIndex::kTVMFFIByteArrayPtr) {
    const auto* array = static_cast<const TVMFFIByteArray*>(raw.v_ptr);
    return BytesView{{array->data, array->size}};
  }
  if (raw.type_index == ffi::TypeIndex::kTVMFFISmallBytes) {
    const auto small = argument.cast<ffi::Bytes>();
    return Bytes{std::string(small.data(), small.size())};
  }
  const TVMFFIByteArray* array = TVMFFIBytesGetByteArrayPtr(const_cast<TVMFFIObject*>(raw.v_obj));
  return BytesView{{array->data, array->size}};
}

Value toRemote(const RemoteSessionObj& session, const ffi::AnyView& argument) {
  const TVMFFIAny raw = argument.CopyToTVMFFIAny();
  switch (raw.type_index) {
    case ffi::TypeIndex::kTVMFFINone:
      return {};
    case ffi::TypeIndex::kTVMFFIInt:
      return raw.v_int64;
    case ffi::TypeIndex::kTVMFFIBool:
      return raw.v_int64 != 0;
    case ffi::TypeIndex::kTVMFFIFloat:
      return raw.v_float64;
    case ffi::TypeIndex::kTVMFFIOpaquePtr:
      return OpaquePointer{reinterpret_cast<std::uint64_t>(raw.v_ptr)};
    case ffi::TypeIndex::kTVMFFIDataType:
      return raw.v_dtype;
    case ffi::TypeIndex::kTVMFFIDevice:
      return remoteDeviceOf(session, raw.v_device);
    case ffi::TypeIndex::kTVMFFIDLTensorPtr:
      return remoteViewOf(session, *static_cast<const DLTensor*>(raw.v_ptr));
    case ffi::TypeIndex::kTVMFFITensor:
      return remoteViewOf(session, *argument.cast<ffi::Tensor>().GetDLTensorPtr());
    case ffi::TypeIndex::kTVMFFIRawStr:
    case ffi::TypeIndex::kTVMFFIStr:
    case ffi::TypeIndex::kTVMFFISmallStr:
      return std::string(argument.cast<ffi::String>());
    case ffi::TypeIndex::kTVMFFIByteArrayPtr:
    case ffi::TypeIndex::kTVMFFIBytes:
    case ffi::TypeIndex::kTVMFFISmallBytes:
      return bytesArgument(argument, raw);
    case ffi::TypeIndex::kTVMFFIModule:
      return moduleArgument(session, argument);
    default:
      return objectArgument(session, argument);
  }
}

/// What a result becomes, by its kind.
class ResultMaker {
 public:
  ResultMaker(const ffi::ObjectPtr<RemoteSessionObj>& session, std::uint64_t owner)
      : m_session(session), m_owner(owner) {}

  ffi::Any operator()(std::monostate) const { return nullptr; }
  ffi::Any operator()(bool value) const { return value; }
  ffi::Any operator()(std::int64_t value) const { return value; }
  ffi::Any operator()(double value) const { return value; }
  ffi::Any operator()(OpaquePointer value) const { return reinterpret_cast<void*>(value.address); }
  ffi::Any operator()(DLDataType value) const { return value; }
  ffi::Any operator()(DLDevice value) const { return value; }
  ffi::Any operator()(const TensorView& value) const { return makeRemoteTensor(m_session, value, m_owner); }
  ffi::Any operator()(const std::string& value) const { return ffi::String(value); }
  ffi::Any operator()(const Bytes& value) const { return ffi::Bytes(value.content); }
  ffi::Any operator()(BytesView value) const {
    return ffi::Bytes(value.content.data(), value.content.size());
  }
  ffi::Any operator()(FunctionHandle value) const { return makeRemoteFunction(m_session, value); }
  ffi::Any operator()(ModuleHandle value) const {
    return ffi::Module(ffi::make_object<RemoteModuleObj>(m_session, value.handle));
  }
  ffi::Any operator()(ObjectHandle value) const {
    return ffi::ObjectRef(ffi::make_object<RemoteObjectObj>(m_session, value.handle));
  }

 private:
  const ffi::ObjectPtr<RemoteSessionObj>& m_session;
  const std::uint64_t m_owner;
};

}  // namespace

std::vector<Value> toRemote(const RemoteSessionObj& session, ffi::PackedArgs arguments) {
  std::vector<Value> values;
  values.reserve(static_cast<std::size_t>(arguments.size()));
  for (std::int32_t i = 0; i < arguments.size(); ++i) {
    values.push_back(toRemote(session, arguments[i]));
  }
  return values;
}

ffi::Any fromRemote(const ffi::ObjectPtr<RemoteSessionObj>& session, CallResult result) {
  return std::visit(ResultMaker(session, result.owner), result.value);
}

}  // namespace opscope::rpc
