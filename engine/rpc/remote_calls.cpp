// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/remote_calls.h"

#include <fmt/format.h>

#include <utility>

namespace opscope::rpc {

namespace {

/// More names than any TVM has; a server that tells more is not believed.
constexpr std::int64_t kMaxGlobalNames = 100'000;

base::Error unexpected(const Client& client, const CallResult& result, std::string_view what,
                       std::string_view expected) {
  return {base::ErrorCode::Format,
          fmt::format("{}: {} returned a {}", client.peer(), what, kindOf(result.value)),
          fmt::format("expected a {}", expected),
          {}};
}

template <class Handle, class Owner>
base::Result<Owner> ownerOf(Client& client, const CallResult& result, std::string_view what,
                            std::string_view expected) {
  if (const auto* handle = std::get_if<Handle>(&result.value)) {
    return Owner(client, *handle);
  }
  if (std::holds_alternative<std::monostate>(result.value)) {
    return Owner();
  }
  discard(client, result);
  return unexpected(client, result, what, expected);
}

}  // namespace

base::Result<RemoteTensor> RemoteTensor::allocate(Client& client, TensorView shape) {
  OPSCOPE_TRY_ASSIGN(shape.data, client.allocate(shape));
  shape.byteOffset = 0;
  RemoteTensor tensor(client, std::move(shape), 0);
  tensor.m_allocated = true;
  return tensor;
}

void discard(Client& client, const CallResult& result) {
  if (const auto* function = std::get_if<FunctionHandle>(&result.value)) {
    client.free(function->handle);
  } else if (const auto* module = std::get_if<ModuleHandle>(&result.value)) {
    client.free(module->handle);
  } else if (const auto* object = std::get_if<ObjectHandle>(&result.value)) {
    client.free(object->handle);
  } else if (result.owner != 0) {
    client.free(result.owner);
  }
}

base::Result<std::int64_t> intOf(const Client& client, const CallResult& result, std::string_view what) {
  if (const auto* number = std::get_if<std::int64_t>(&result.value)) {
    return *number;
  }
  if (const auto* truth = std::get_if<bool>(&result.value)) {
    return *truth ? 1 : 0;
  }
  return unexpected(client, result, what, "number");
}

base::Result<std::string> stringOf(const Client& client, const CallResult& result, std::string_view what) {
  if (const auto* text = std::get_if<std::string>(&result.value)) {
    return *text;
  }
  return unexpected(client, result, what, "string");
}

base::Result<RemoteFunction> functionOf(Client& client, CallResult result, std::string_view what) {
  return ownerOf<FunctionHandle, RemoteFunction>(client, result, what, "function");
}

base::Result<RemoteModule> moduleOf(Client& client, CallResult result, std::string_view what) {
  return ownerOf<ModuleHandle, RemoteModule>(client, result, what, "module");
}

base::Result<RemoteObject> objectOf(Client& client, CallResult result, std::string_view what) {
  return ownerOf<ObjectHandle, RemoteObject>(client, result, what, "object");
}

base::Result<RemoteTensor> tensorOf(Client& client, CallResult result, std::string_view what) {
  if (auto* view = std::get_if<TensorView>(&result.value)) {
    return RemoteTensor(client, std::move(*view), result.owner);
  }
  discard(client, result);
  return unexpected(client, result, what, "tensor");
}

base::Result<> upload(Client& client, const std::string& name, std::string_view content,
                      const CallOptions& options) {
  OPSCOPE_TRY_ASSIGN(const CallResult result,
                     client.callGlobal("tvm.rpc.server.upload", {name, BytesView{content}}, options));
  discard(client, result);
  return {};
}

base::Result<CallResult> download(Client& client, const std::string& name, const CallOptions& options) {
  OPSCOPE_TRY_ASSIGN(CallResult result, client.callGlobal("tvm.rpc.server.download", {name}, options));
  if (!result.bytes().has_value()) {
    discard(client, result);
    return unexpected(client, result, "tvm.rpc.server.download", "block of bytes");
  }
  return result;
}

base::Result<> removeFile(Client& client, const std::string& name) {
  OPSCOPE_TRY_ASSIGN(const CallResult result, client.callGlobal("tvm.rpc.server.remove", {name}));
  discard(client, result);
  return {};
}

base::Result<RemoteModule> loadModule(Client& client, const std::string& name, const CallOptions& options) {
  OPSCOPE_TRY_ASSIGN(CallResult result, client.callGlobal("tvm.rpc.server.load_module", {name}, options));
  OPSCOPE_TRY_ASSIGN(RemoteModule module, moduleOf(client, std::move(result), "tvm.rpc.server.load_module"));
  if (module.empty()) {
    return unexpected(client, {}, "tvm.rpc.server.load_module", "module");
  }
  return module;
}

base::Result<RemoteFunction> moduleFunction(Client& client, ModuleHandle module, const std::string& name,
                                            bool queryImports) {
  OPSCOPE_TRY_ASSIGN(CallResult result,
                     client.callGlobal("tvm.rpc.server.ModuleGetFunction", {module, name, queryImports}));
  const auto* const handle = std::get_if<FunctionHandle>(&result.value);
  if (handle != nullptr && client.traffic() != nullptr) {
    client.traffic()->nameFunction(handle->handle, name);
  }
  return functionOf(client, std::move(result), "tvm.rpc.server.ModuleGetFunction");
}

base::Result<RemoteFunction> globalFunction(Client& client, const std::string& name) {
  OPSCOPE_TRY_ASSIGN(const auto function, client.globalFunction(name));
  return function.has_value() ? RemoteFunction(client, *function) : RemoteFunction();
}

base::Result<std::vector<std::string>> globalNames(Client& client) {
  constexpr std::string_view kWhat = "ffi.FunctionListGlobalNamesFunctor";
  OPSCOPE_TRY_ASSIGN(CallResult made, client.callGlobal(std::string(kWhat), {}));
  OPSCOPE_TRY_ASSIGN(const RemoteFunction list, functionOf(client, std::move(made), kWhat));
  if (list.empty()) {
    return unexpected(client, {}, kWhat, "function");
  }
  OPSCOPE_TRY_ASSIGN(const CallResult counted, list({std::int64_t{-1}}));
  OPSCOPE_TRY_ASSIGN(const std::int64_t count, intOf(client, counted, kWhat));
  if (count < 0 || count > kMaxGlobalNames) {
    return base::Error{base::ErrorCode::Format,
                       fmt::format("{}: the server tells {} functions", client.peer(), count),
                       fmt::format("expected at most {}", kMaxGlobalNames),
                       {}};
  }
  std::vector<CallRequest> requests;
  for (std::int64_t i = 0; i < count; ++i) {
    requests.push_back({list.get(), {i}});
  }
  OPSCOPE_TRY_ASSIGN(const auto answers, client.callAll(requests));
  std::vector<std::string> names;
  for (const auto& answer : answers) {
    if (!answer) {
      return answer.error();
    }
    OPSCOPE_TRY_ASSIGN(std::string name, stringOf(client, *answer, kWhat));
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace opscope::rpc
