// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/remote_functions.h"

#include <fmt/format.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

#include <charconv>
#include <string>
#include <utility>

#include "engine/rpc/remote_module.h"
#include "engine/rpc/remote_tensor.h"
#include "engine/rpc/remote_translation.h"

namespace opscope::rpc {

namespace ffi = tvm::ffi;

namespace {

/// Programs that connect by rpc.Connect set no limit to a call: TVM has none. A board that is gone is found
/// by the connection's end; this is for one that hangs.
constexpr std::chrono::hours kCallTime{1};

[[noreturn]] void raise(const char* kind, std::string message) {
  throw ffi::Error(kind, std::move(message), "");
}

/// A port as a number or, as servers in C++ tell it, as text.
std::string portText(const ffi::AnyView& port) {
  if (const auto number = port.try_cast<std::int64_t>()) {
    return std::to_string(*number);
  }
  return std::string(port.cast<ffi::String>());
}

/// TVM's programs write the session's time behind the key: "KEY -timeout=SECONDS".
void setKey(ConnectSettings& settings, const std::string& text) {
  constexpr std::string_view kTimeout = "-timeout=";
  const std::size_t end = text.find(' ');
  settings.key = text.substr(0, end);
  const std::size_t option = text.find(kTimeout);
  if (end == std::string::npos || option == std::string::npos) {
    return;
  }
  double seconds = 0;
  const char* first = text.data() + option + kTimeout.size();
  const auto [rest, error] = std::from_chars(first, text.data() + text.size(), seconds);
  if (error != std::errc() || seconds < 0 || seconds > 1e9) {
    raise("ValueError", fmt::format("rpc.Connect: \"{}\" is no time of a session", text.substr(option)));
  }
  settings.sessionSeconds =
      static_cast<std::uint32_t>(seconds) + (seconds > static_cast<std::uint32_t>(seconds) ? 1 : 0);
}

/// The constructor of the server's own session, as it was given.
std::vector<Value> constructorOf(ffi::PackedArgs arguments) {
  std::vector<Value> values;
  for (std::int32_t i = 0; i < arguments.size(); ++i) {
    if (const auto text = arguments[i].try_cast<ffi::String>()) {
      values.emplace_back(std::string(*text));
    } else if (arguments[i].type_index() == ffi::TypeIndex::kTVMFFIBool) {
      values.emplace_back(arguments[i].cast<bool>());
    } else if (const auto number = arguments[i].try_cast<std::int64_t>()) {
      values.emplace_back(*number);
    } else {
      raise("TypeError", fmt::format("rpc.Connect: a session is made of texts and numbers, found {}",
                                     arguments[i].GetTypeKey()));
    }
  }
  return values;
}

ffi::Module connect(const ffi::ObjectPtr<SessionTableObj>& table, ffi::PackedArgs arguments) {
  if (arguments.size() < 3) {
    raise("TypeError",
          fmt::format("rpc.Connect takes host, port and key, found {} arguments", arguments.size()));
  }
  ConnectSettings settings{.host = std::string(arguments[0].cast<ffi::String>()),
                           .port = portText(arguments[1])};
  setKey(settings, arguments[2].cast<ffi::String>());
  settings.constructor = arguments.size() > 4 ? constructorOf(arguments.Slice(4)) : std::vector<Value>();
  settings.callTime = kCallTime;
  auto client = Client::open(settings);
  if (!client) {
    raiseRemote(client.error());
  }
  return makeSessionModule(*std::move(client), table);
}

RemoteModuleObj& remoteOf(const ffi::Module& module, const char* function) {
  if (std::string_view(module->kind()) != "rpc") {
    raise("InternalError", fmt::format("{} takes a module of kind rpc, found {}", function, module->kind()));
  }
  return remoteModuleOf(module);
}

ffi::Tensor tensorFromHandle(const ffi::Module& module, void* data, DLTensor* like, DLDevice device,
                             void* owner) {
  const RemoteModuleObj& remote = remoteModuleOf(module);
  if (sessionIndexOf(device) != remote.session()->index()) {
    raise("InternalError", "The Device given does not belong to the given session");
  }
  if (like->ndim < 0 || (like->ndim > 0 && like->shape == nullptr)) {
    raise("ValueError", "tvm.rpc.TensorFromRemoteOpaqueHandle: the template has no shape");
  }
  TensorView view;
  view.data = reinterpret_cast<std::uint64_t>(data);
  view.device = removeSessionMask(device);
  view.dtype = like->dtype;
  view.shape.assign(like->shape, like->shape + like->ndim);
  view.byteOffset = like->byte_offset;
  return makeRemoteTensor(remote.session(), view, reinterpret_cast<std::uint64_t>(owner));
}

void timeEvaluator(ffi::PackedArgs arguments, ffi::Any* result) {
  constexpr std::int32_t kArguments = 12;
  if (arguments.size() != kArguments) {
    raise("TypeError",
          fmt::format("runtime.RPCTimeEvaluator takes {} arguments, found {}", kArguments, arguments.size()));
  }
  std::array<std::int64_t, 7> settings;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    settings[i] = arguments[static_cast<std::int32_t>(i) + 4].cast<std::int64_t>();
  }
  const auto module = arguments[0].cast<ffi::Module>();
  const DLDevice device{static_cast<DLDeviceType>(arguments[2].cast<int>()), arguments[3].cast<int>()};
  *result = remoteOf(module, "runtime.RPCTimeEvaluator")
                .timeEvaluator(arguments[1].cast<ffi::String>(), device, settings,
                               arguments[11].cast<ffi::String>());
}

template <class F>
void add(const char* name, F&& function) {
  ffi::Function::SetGlobal(name, ffi::Function::FromTyped(std::forward<F>(function), name),
                           /*override=*/true);
}

}  // namespace

void registerRemoteFunctions() {
  const auto table = ffi::make_object<SessionTableObj>();
  ffi::Function::SetGlobal("rpc.Connect",
                           ffi::Function::FromPacked([table](ffi::PackedArgs arguments, ffi::Any* result) {
                             *result = connect(table, arguments);
                           }),
                           /*override=*/true);
  add("rpc.LoadRemoteModule", [](const ffi::Module& session, const ffi::String& name) {
    return remoteOf(session, "rpc.LoadRemoteModule").loadModule(name);
  });
  add("rpc.ImportRemoteModule", [](const ffi::Module& parent, const ffi::Module& child) {
    remoteOf(parent, "rpc.ImportRemoteModule").ImportModule(child);
  });
  add("rpc.SessTableIndex", [](const ffi::Module& module) {
    return static_cast<std::int64_t>(remoteOf(module, "rpc.SessTableIndex").session()->index());
  });
  add("tvm.rpc.TensorFromRemoteOpaqueHandle", tensorFromHandle);
  ffi::Function::SetGlobal("opscope.rpc.time_evaluator", ffi::Function::FromPacked(timeEvaluator),
                           /*override=*/true);
}

}  // namespace opscope::rpc
