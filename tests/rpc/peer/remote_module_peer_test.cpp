// SPDX-License-Identifier: Apache-2.0
// Seed 001's objects of ours against the server of the real TVM.
#include <gtest/gtest.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/string.h>

#include <fstream>
#include <sstream>

#include "engine/profile/time_functions.h"
#include "engine/rpc/remote_functions.h"
#include "tests/rpc/peer/peer_process.h"

namespace opscope::rpc {

namespace ffi = tvm::ffi;

namespace {

template <class... Arguments>
ffi::Any callNamed(const char* name, Arguments&&... arguments) {
  return ffi::Function::GetGlobalRequired(name)(std::forward<Arguments>(arguments)...);
}

std::string library() {
  const char* name = test::peerIs021() ? "/vm/tvm021/chain21.so" : "/vm/tvm027/chain.so";
  std::ostringstream text;
  text << std::ifstream(OPSCOPE_TEST_DATA + std::string(name), std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace

TEST(RemoteModulePeer, ALibraryIsLoadedRunAndTimed) {
  registerRemoteFunctions();
  profile::registerTimeFunctions();
  const test::StockServer server;
  const auto session = callNamed("rpc.Connect", "127.0.0.1", server.port(), "", false).cast<ffi::Module>();
  const auto function = [&session](const char* name) { return session->GetFunction(name).value(); };
  function("tvm.rpc.server.upload")("chain.so", ffi::Bytes(library()));
  const auto loaded = callNamed("rpc.LoadRemoteModule", session, "chain.so").cast<ffi::Module>();
  const auto machine = loaded->GetFunction("vm_load_executable").value()().cast<ffi::Module>();
  EXPECT_EQ(std::string_view(machine->kind()), "rpc");
  machine->GetFunction("vm_initialization").value()(1, 0, 2);
  EXPECT_EQ(machine->GetFunction("get_function_arity").value()("main").cast<int>(), 1);
  EXPECT_FALSE(loaded->GetFunction("no_such_function").has_value());

  // An array comes as a reference.
  const ffi::Any array = function("ffi.Array")(1, 2, 3);
  EXPECT_EQ(std::string(array.GetTypeKey()), "runtime.RPCObjectRef");
  EXPECT_EQ(function("ffi.ArraySize")(array).cast<int>(), 3);

  const auto evaluatorOf = [](const ffi::Module& module, const char* name) {
    return callNamed("runtime.RPCTimeEvaluator", module, name, 129, 0, 3, 4, 0, 100, 0, 1, 0, "")
        .cast<ffi::Function>();
  };
  EXPECT_EQ(evaluatorOf(session, "runtime.NumThreads")().cast<ffi::Bytes>().size(), 4 * sizeof(double));
  EXPECT_THROW(evaluatorOf(machine, "no_such_function"), ffi::Error);
  function("CloseRPCConnection")();
  EXPECT_THROW(function("testing.echo")(1), ffi::Error);
}

}  // namespace opscope::rpc
