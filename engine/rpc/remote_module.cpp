// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/remote_module.h"

#include <tvm/ffi/error.h>

#include <tuple>
#include <utility>

#include "engine/rpc/remote_translation.h"

namespace opscope::rpc {

namespace ffi = tvm::ffi;

namespace {

/// A handle of the server's for as long as the local function lives.
class FunctionLease {
 public:
  FunctionLease(ffi::ObjectPtr<RemoteSessionObj> session, FunctionHandle function)
      : m_session(std::move(session)), m_function(function) {}
  FunctionLease(const FunctionLease&) = delete;
  FunctionLease& operator=(const FunctionLease&) = delete;
  ~FunctionLease() { m_session->free(m_function.handle); }

  void operator()(const ffi::AnyView* arguments, std::int32_t count, ffi::Any* result) const {
    const std::vector<Value> values = toRemote(*m_session, ffi::PackedArgs(arguments, count));
    *result = fromRemote(m_session, m_session->call(m_function, values));
  }

 private:
  const ffi::ObjectPtr<RemoteSessionObj> m_session;
  const FunctionHandle m_function;
};

/// Calls a function that the session keeps.
ffi::Any callKept(const ffi::ObjectPtr<RemoteSessionObj>& session, const char* name,
                  std::vector<Value> arguments) {
  const FunctionHandle function = session->keptFunction(name);
  return fromRemote(session, session->call(function, arguments));
}

}  // namespace

ffi::Function makeRemoteFunction(ffi::ObjectPtr<RemoteSessionObj> session, FunctionHandle function) {
  return std::get<0>(ffi::Function::FromPackedInplace<FunctionLease>(std::move(session), function));
}

ffi::Module makeSessionModule(std::unique_ptr<Client> client, const ffi::ObjectPtr<SessionTableObj>& table) {
  return ffi::Module(
      ffi::make_object<RemoteModuleObj>(ffi::make_object<RemoteSessionObj>(std::move(client), table), 0));
}

RemoteModuleObj& remoteModuleOf(const ffi::Module& module) {
  if (std::string_view(module->kind()) != "rpc") {
    throw ffi::Error("ValueError", "Cannot pass a non-RPC module to remote", "");
  }
  return *static_cast<RemoteModuleObj*>(const_cast<ffi::ModuleObj*>(module.operator->()));
}

ffi::Optional<ffi::Function> RemoteModuleObj::GetFunction(const ffi::String& name) {
  if (name == "CloseRPCConnection") {
    return ffi::Function::FromPacked(
        [session = m_session](ffi::PackedArgs, ffi::Any*) { session->shutdown(); });
  }
  if (m_handle == 0) {
    const std::uint64_t function = m_session->globalFunction(std::string_view(name.data(), name.size()));
    return function == 0 ? ffi::Optional<ffi::Function>()
                         : ffi::Optional<ffi::Function>(makeRemoteFunction(m_session, {function}));
  }
  return callKept(m_session, "tvm.rpc.server.ModuleGetFunction",
                  {ModuleHandle{m_handle}, std::string(name), true})
      .cast<ffi::Optional<ffi::Function>>();
}

void RemoteModuleObj::ImportModule(const ffi::Module& other) {
  const ffi::AnyView argument = other;
  std::vector<Value> values = toRemote(*m_session, ffi::PackedArgs(&argument, 1));
  if (m_handle == 0) {
    throw ffi::Error("ValueError", "Cannot import a module into the session itself", "");
  }
  values.insert(values.begin(), ModuleHandle{m_handle});
  callKept(m_session, "tvm.rpc.server.ImportModule", std::move(values));
}

ffi::Any RemoteModuleObj::loadModule(const ffi::String& name) {
  return callKept(m_session, "tvm.rpc.server.load_module", {std::string(name)});
}

ffi::Any RemoteModuleObj::timeEvaluator(const ffi::String& name, DLDevice device,
                                        const std::array<std::int64_t, 7>& settings,
                                        const ffi::String& prepare) {
  if (sessionIndexOf(device) != m_session->index()) {
    throw ffi::Error("ValueError", "Need to pass the matched remote device to RPCModule.GetTimeEvaluator",
                     "");
  }
  const DLDevice there = removeSessionMask(device);
  std::vector<Value> values{m_handle == 0 ? Value() : Value(ModuleHandle{m_handle}), std::string(name),
                            std::int64_t{there.device_type}, std::int64_t{there.device_id}};
  values.insert(values.end(), settings.begin(), settings.end());
  values.emplace_back(std::string(prepare));
  return callKept(m_session, "runtime.RPCTimeEvaluator", std::move(values));
}

}  // namespace opscope::rpc
