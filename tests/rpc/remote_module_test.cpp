// SPDX-License-Identifier: Apache-2.0
// Sessions, modules, functions, tensors and objects of a server as ffi objects, as seed 001 has them.
#include "engine/rpc/remote_module.h"

#include <gtest/gtest.h>
#include <tvm/ffi/container/array.h>

#include <list>
#include <map>

#include "engine/profile/time_functions.h"
#include "engine/rpc/remote_functions.h"
#include "engine/rpc/remote_tensor.h"
#include "tests/rpc/board_session.h"

namespace opscope::rpc {

namespace ffi = tvm::ffi;

namespace {

using test::FakeBoard;
using test::ScriptedServer;

/// What a call raises, as "KIND: MESSAGE", or "" when it returns.
template <class F>
std::string raisedBy(F&& function) {
  try {
    function();
    return "";
  } catch (const ffi::Error& error) {
    return error.kind() + ": " + error.message();
  }
}

template <class... Arguments>
ffi::Any callNamed(const char* name, Arguments&&... arguments) {
  return ffi::Function::GetGlobalRequired(name)(std::forward<Arguments>(arguments)...);
}

DLDevice remoteCpu(std::int64_t index) {
  return {static_cast<DLDeviceType>(1 + 128 * (index + 1)), 0};
}

class RemoteModules : public ::testing::Test {
 protected:
  RemoteModules() {
    registerRemoteFunctions();
    board.named["tvm.rpc.server.ModuleGetFunction"] = {std::int64_t{68}, OpaquePointer{0x107}};
    board.named["tvm.rpc.server.load_module"] = {std::int64_t{73}, OpaquePointer{0x12}};
    board.named["tvm.rpc.server.ImportModule"] = {std::int64_t{0}, Value()};
    board.named["runtime.RPCTimeEvaluator"] = {std::int64_t{68}, OpaquePointer{test::kEcho}};
    board.named["add"] = {std::int64_t{1}, std::int64_t{5}};
  }

  ffi::Module connect() {
    return callNamed("rpc.Connect", "127.0.0.1", server.port(), "key", false).cast<ffi::Module>();
  }
  ffi::Function function(const ffi::Module& session, const char* name) {
    const auto found = session->GetFunction(name);
    EXPECT_TRUE(found.has_value()) << name;
    return *found;
  }
  /// The values of the last call that the board saw.
  std::vector<Value> lastCall() {
    const auto frames = board.logged();
    const auto found = std::find_if(frames.rbegin(), frames.rend(),
                                    [](const Frame& frame) { return frame.code == FrameCode::Call; });
    EXPECT_NE(found, frames.rend());
    return found->values;
  }
  std::size_t freesOf(std::uint64_t handle) {
    std::size_t count = 0;
    for (const Frame& frame : board.logged()) {
      count += frame.code == FrameCode::FreeHandle &&
               std::get<OpaquePointer>(frame.values.at(0)).address == handle;
    }
    return count;
  }

  FakeBoard board;
  ScriptedServer server{[this](Connection& connection) { board.serve(connection); }};
};

/// A second board, for what belongs to another session.
struct OtherBoard {
  FakeBoard board;
  ScriptedServer server{[this](Connection& connection) { board.serve(connection); }};
};

}  // namespace

TEST_F(RemoteModules, ConnectGivesASessionWithANumber) {
  const ffi::Module session = connect();
  EXPECT_EQ(std::string_view(session->kind()), "rpc");
  EXPECT_EQ(session->GetPropertyMask(), ffi::Module::kRunnable);
  EXPECT_EQ(callNamed("rpc.SessTableIndex", session).cast<std::int64_t>(), 0);
  EXPECT_EQ(board.keyText(), "client:key -opscope-info");
}

TEST_F(RemoteModules, PortsAreNumbersOrTextAndKeysHaveTimes) {
  const ffi::Module session =
      callNamed("rpc.Connect", "127.0.0.1", std::stoi(server.port()), "key -timeout=1.5", false)
          .cast<ffi::Module>();
  EXPECT_EQ(board.keyText(), "client:key -timeout=2 -opscope-info");
  EXPECT_EQ(raisedBy([this] {
              callNamed("rpc.Connect", "127.0.0.1", server.port(), "key -timeout=abc", false);
            }).substr(0, 11),
            "ValueError:");
}

TEST_F(RemoteModules, TheSessionsConstructorIsSent) {
  const ffi::Module session =
      callNamed("rpc.Connect", "127.0.0.1", server.port(), "", false, "rpc.Connect", "far", 9090, "", false)
          .cast<ffi::Module>();
  const auto init = board.logged().at(0);
  ASSERT_EQ(init.values.size(), 5u);
  EXPECT_EQ(std::get<std::string>(init.values[1]), "far");
  EXPECT_EQ(std::get<std::int64_t>(init.values[2]), 9090);
  EXPECT_FALSE(std::get<bool>(init.values[4]));
}

TEST_F(RemoteModules, FailingToConnectIsRaisedInWords) {
  const std::string raised =
      raisedBy([] { callNamed("rpc.Connect", "127.0.0.1", test::freePort(), "", false); });
  EXPECT_NE(raised.find("RPCError: cannot connect to 127.0.0.1:"), std::string::npos) << raised;
}

TEST_F(RemoteModules, ValuesGoThroughAndComeBack) {
  const ffi::Module session = connect();
  const ffi::Function echo = function(session, "echo");
  EXPECT_EQ(echo(7).cast<int>(), 7);
  EXPECT_EQ(echo(1.5).cast<double>(), 1.5);
  EXPECT_EQ(echo(true).cast<bool>(), true);
  EXPECT_EQ(echo("short").cast<ffi::String>(), "short");
  EXPECT_EQ(echo(ffi::String("a longer string than seven")).cast<ffi::String>(),
            "a longer string than seven");
  EXPECT_EQ(echo(ffi::Bytes(std::string("\0b", 2))).cast<ffi::Bytes>().operator std::string(),
            std::string("\0b", 2));
  EXPECT_EQ(echo(ffi::Bytes(std::string(100, 'x'))).cast<ffi::Bytes>().operator std::string(),
            std::string(100, 'x'));
  EXPECT_EQ(echo(nullptr), nullptr);
  EXPECT_EQ(echo(DLDataType{kDLInt, 8, 1}).cast<DLDataType>().bits, 8);
  int something = 0;
  EXPECT_EQ(echo(static_cast<void*>(&something)).cast<void*>(), &something);
}

TEST_F(RemoteModules, MissingFunctionsAreNone) {
  const ffi::Module session = connect();
  EXPECT_FALSE(session->GetFunction("no.such").has_value());
  EXPECT_FALSE(session->GetFunction("no.such", true).has_value());
}

TEST_F(RemoteModules, WhatTheServerRaisesIsRaisedHere) {
  const ffi::Module session = connect();
  EXPECT_EQ(raisedBy([&] { function(session, "fail")("boom"); }),
            "RPCError: Error caught from RPC call:\n127.0.0.1:" + server.port() + ": boom");
  EXPECT_EQ(function(session, "echo")(1).cast<int>(), 1);
}

TEST_F(RemoteModules, DevicesLoseTheMask) {
  const ffi::Module session = connect();
  const ffi::Function echo = function(session, "echo");
  EXPECT_EQ(echo(remoteCpu(0)).cast<DLDevice>().device_type, kDLCPU);
  EXPECT_EQ(raisedBy([&] { echo(DLDevice{kDLCPU, 0}); }), "InternalError: Can not pass in local device");
  EXPECT_EQ(raisedBy([&] { echo(remoteCpu(3)); }),
            "InternalError: Can not pass in device with a different remote session");
}

TEST_F(RemoteModules, TensorsAreViewsOfTheServersMemoryAndFreedOnce) {
  const ffi::Module session = connect();
  {
    ffi::Tensor tensor = function(session, "tensor")().cast<ffi::Tensor>();
    const DLTensor& fields = *tensor.GetDLTensorPtr();
    EXPECT_EQ(static_cast<int>(fields.device.device_type), 129);
    EXPECT_EQ(static_cast<const RemoteSpace*>(fields.data)->data, 0x5000u);
    EXPECT_EQ(fields.byte_offset, 8u);
    ffi::Tensor again = tensor;
    function(session, "add")(tensor, const_cast<DLTensor*>(&fields));
    const auto values = lastCall();
    ASSERT_EQ(values.size(), 2u);
    const TensorView expected{0x5000, {kDLCPU, 0}, {kDLFloat, 32, 1}, {2, 2}, 8};
    EXPECT_TRUE(sameView(std::get<TensorView>(values[0]), expected));
    EXPECT_TRUE(sameView(std::get<TensorView>(values[1]), expected));
    EXPECT_EQ(freesOf(0x7777), 0u);
  }
  function(session, "add")();
  EXPECT_EQ(freesOf(0x7777), 1u);
  const ffi::Tensor view = function(session, "view")().cast<ffi::Tensor>();  // which somebody else owns
  EXPECT_EQ(view.GetDLTensorPtr()->byte_offset, 8u);
}

TEST_F(RemoteModules, LocalTensorsAreRefused) {
  const ffi::Module session = connect();
  float content[4] = {};
  std::int64_t shape[1] = {4};
  DLTensor local{content, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, shape, nullptr, 0};
  EXPECT_EQ(raisedBy([&] { function(session, "echo")(&local); }),
            "InternalError: Can not pass in local device");
}

TEST_F(RemoteModules, TensorsWithGapsAreRefused) {
  const ffi::Module session = connect();
  const ffi::Tensor tensor = function(session, "tensor")().cast<ffi::Tensor>();
  DLTensor gaps = *tensor.GetDLTensorPtr();
  std::int64_t strides[2] = {8, 1};
  gaps.strides = strides;
  EXPECT_EQ(raisedBy([&] { function(session, "add")(&gaps); }),
            "ValueError: Cannot pass a tensor with gaps between its elements to remote");
}

TEST_F(RemoteModules, TensorsAreMadeFromHandles) {
  const ffi::Module session = connect();
  std::int64_t shape[2] = {3, 4};
  DLTensor like{nullptr, {kDLCPU, 0}, 2, {kDLInt, 16, 1}, shape, nullptr, 0};
  {
    const auto tensor =
        callNamed("tvm.rpc.TensorFromRemoteOpaqueHandle", session, reinterpret_cast<void*>(0x6000), &like,
                  remoteCpu(0), reinterpret_cast<void*>(0x6001))
            .cast<ffi::Tensor>();
    EXPECT_EQ(tensor.shape()[1], 4);
    EXPECT_EQ(static_cast<const RemoteSpace*>(tensor.GetDLTensorPtr()->data)->data, 0x6000u);
  }
  function(session, "add")();
  EXPECT_EQ(freesOf(0x6001), 1u);
  EXPECT_EQ(raisedBy([&] {
              callNamed("tvm.rpc.TensorFromRemoteOpaqueHandle", session, nullptr, &like, remoteCpu(1),
                        nullptr);
            }),
            "InternalError: The Device given does not belong to the given session");
  EXPECT_EQ(raisedBy([&] {
              callNamed("tvm.rpc.TensorFromRemoteOpaqueHandle", session, nullptr, &like, DLDevice{kDLCPU, 0},
                        nullptr);
            }),
            "InternalError: The Device given does not belong to the given session");
  EXPECT_EQ(raisedBy([&] {
              callNamed("tvm.rpc.TensorFromRemoteOpaqueHandle", callNamed("ffi.SystemLib"), nullptr, &like,
                        remoteCpu(0), nullptr);
            }),
            "ValueError: Cannot pass a non-RPC module to remote");
  DLTensor shapeless = like;
  shapeless.shape = nullptr;
  EXPECT_EQ(raisedBy([&] {
              callNamed("tvm.rpc.TensorFromRemoteOpaqueHandle", session, nullptr, &shapeless, remoteCpu(0),
                        nullptr);
            }).substr(0, 11),
            "ValueError:");
}

TEST_F(RemoteModules, ModulesAreLoadedImportedAndAskedForFunctions) {
  const ffi::Module session = connect();
  {
    const auto module = callNamed("rpc.LoadRemoteModule", session, "lib.so").cast<ffi::Module>();
    EXPECT_EQ(std::string_view(module->kind()), "rpc");
    EXPECT_EQ(std::get<std::string>(lastCall().at(0)), "lib.so");
    const auto main = module->GetFunction("main");
    ASSERT_TRUE(main.has_value());
    const auto asked = lastCall();
    EXPECT_EQ(std::get<ModuleHandle>(asked.at(0)).handle, 0x12u);
    EXPECT_EQ(std::get<std::string>(asked.at(1)), "main");
    EXPECT_TRUE(std::get<bool>(asked.at(2)));
    (*main)(module);
    EXPECT_EQ(std::get<ModuleHandle>(lastCall().at(0)).handle, 0x12u);
    callNamed("rpc.ImportRemoteModule", module, module);
    EXPECT_EQ(lastCall().size(), 2u);
  }
  function(session, "add")();
  EXPECT_EQ(freesOf(0x12), 1u);
  EXPECT_EQ(freesOf(0x107), 1u);
}

TEST_F(RemoteModules, FunctionsOfTheServersAreAskedForOnce) {
  const ffi::Module session = connect();
  for (int i = 0; i < 3; ++i) {
    const auto module = callNamed("rpc.LoadRemoteModule", session, "lib.so").cast<ffi::Module>();
    EXPECT_TRUE(module->GetFunction("main").has_value());
    callNamed("rpc.ImportRemoteModule", module, module);
  }
  std::map<std::string, int> asked;
  for (const Frame& frame : board.logged()) {
    if (frame.code == FrameCode::GetGlobalFunction) {
      ++asked[std::get<std::string>(frame.values.at(0))];
    }
  }
  for (const char* const name :
       {"tvm.rpc.server.load_module", "tvm.rpc.server.ModuleGetFunction", "tvm.rpc.server.ImportModule"}) {
    EXPECT_EQ(asked[name], 1) << name;
  }
}

/// TVM checks how many values stand in a result; what a server sends is no program's fault here.
TEST_F(RemoteModules, ResultsWithAnotherNumberOfValuesAreErrors) {
  const TensorView view{0x5000, {kDLCPU, 0}, {kDLFloat, 32, 1}, {2}, 0};
  const std::vector<std::vector<Value>> results = {
      {},
      {std::int64_t{1}},
      {std::string("text"), std::int64_t{1}},
      {std::int64_t{68}, OpaquePointer{1}, OpaquePointer{2}},
      {std::int64_t{70}, view, std::int64_t{3}},
      {std::int64_t{70}, view, OpaquePointer{1}, OpaquePointer{2}}};
  for (std::size_t i = 0; i < results.size(); ++i) {
    OtherBoard other;
    other.board.named["odd"] = results[i];
    const auto far =
        callNamed("rpc.Connect", "127.0.0.1", other.server.port(), "", false).cast<ffi::Module>();
    const std::string raised = raisedBy([&] { function(far, "odd")(); });
    EXPECT_EQ(raised.substr(0, 9), "RPCError:") << i << ": " << raised;
  }
}

TEST_F(RemoteModules, ModulesThatAreNotThisSessionsAreRefused) {
  const ffi::Module session = connect();
  OtherBoard other;
  other.board.named["tvm.rpc.server.load_module"] = {std::int64_t{73}, OpaquePointer{0x12}};
  const auto far = callNamed("rpc.Connect", "127.0.0.1", other.server.port(), "", false).cast<ffi::Module>();
  EXPECT_EQ(callNamed("rpc.SessTableIndex", far).cast<std::int64_t>(), 1);
  const auto farModule = callNamed("rpc.LoadRemoteModule", far, "lib.so").cast<ffi::Module>();
  const ffi::Function echo = function(session, "echo");
  EXPECT_EQ(raisedBy([&] { echo(farModule); }),
            "ValueError: Cannot pass in module into a different remote session");
  const auto local = callNamed("ffi.SystemLib").cast<ffi::Module>();
  EXPECT_EQ(raisedBy([&] { echo(local); }), "ValueError: Cannot pass a non-RPC module to remote");
  EXPECT_EQ(raisedBy([&] { echo(session); }).substr(0, 11), "ValueError:");
  EXPECT_EQ(raisedBy([&] { callNamed("rpc.SessTableIndex", local); }).substr(0, 14), "InternalError:");
  EXPECT_EQ(raisedBy([&] { callNamed("rpc.LoadRemoteModule", local, "x"); }).substr(0, 14), "InternalError:");
  EXPECT_EQ(raisedBy([&] { callNamed("rpc.ImportRemoteModule", local, farModule); }).substr(0, 14),
            "InternalError:");
  EXPECT_EQ(raisedBy([&] { callNamed("rpc.ImportRemoteModule", farModule, local); }),
            "ValueError: Cannot pass a non-RPC module to remote");
  EXPECT_EQ(raisedBy([&] { callNamed("rpc.ImportRemoteModule", farModule, session); }),
            "ValueError: Cannot pass in module into a different remote session");
}

TEST_F(RemoteModules, LocalFunctionsAndObjectsAreRefused) {
  const ffi::Module session = connect();
  const ffi::Function echo = function(session, "echo");
  EXPECT_EQ(raisedBy([&] { echo(ffi::Function::FromTyped([] { return 1; })); }),
            "ValueError: Cannot pass type ffi.Function as an argument to the remote");
  EXPECT_EQ(raisedBy([&] {
              echo(ffi::Array<int>{1, 2});
            }),
            "ValueError: Cannot pass type ffi.Array as an argument to the remote");
}

TEST_F(RemoteModules, ObjectsAreReferencesOfTheirSession) {
  const ffi::Module session = connect();
  {
    const ffi::Any object = function(session, "object")();
    ASSERT_NE(object.as<RemoteObjectObj>(), nullptr);
    EXPECT_EQ(object.as<RemoteObjectObj>()->handle(), 0x13u);
    function(session, "add")(object);
    EXPECT_EQ(std::get<ObjectHandle>(lastCall().at(0)).handle, 0x13u);
    OtherBoard other;
    const auto far =
        callNamed("rpc.Connect", "127.0.0.1", other.server.port(), "", false).cast<ffi::Module>();
    EXPECT_EQ(raisedBy([&] { function(far, "echo")(object); }),
              "ValueError: Cannot pass in object into a different remote session");
  }
  function(session, "add")();
  EXPECT_EQ(freesOf(0x13), 1u);
}

TEST_F(RemoteModules, TheTimeEvaluatorIsTheServers) {
  profile::registerTimeFunctions();
  const ffi::Module session = connect();
  const auto module = callNamed("rpc.LoadRemoteModule", session, "lib.so").cast<ffi::Module>();
  const auto evaluator = [&](const ffi::Module& of, DLDevice device) {
    return callNamed("runtime.RPCTimeEvaluator", of, "main", static_cast<int>(device.device_type),
                     device.device_id, 2, 3, 4, 5, 6, 7, 8, "prepare");
  };
  EXPECT_TRUE(evaluator(module, remoteCpu(0)).as<ffi::Function>().has_value());
  const auto values = lastCall();
  ASSERT_EQ(values.size(), 12u);
  EXPECT_EQ(std::get<ModuleHandle>(values[0]).handle, 0x12u);
  EXPECT_EQ(std::get<std::string>(values[1]), "main");
  for (std::size_t i = 2; i < 11; ++i) {
    static constexpr std::int64_t kExpected[] = {1, 0, 2, 3, 4, 5, 6, 7, 8};
    EXPECT_EQ(std::get<std::int64_t>(values[i]), kExpected[i - 2]) << i;
  }
  EXPECT_EQ(std::get<std::string>(values[11]), "prepare");
  callNamed("opscope.rpc.time_evaluator", session, "main", 129, 0, 2, 3, 4, 5, 6, 7, 8, "");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(lastCall().at(0)));
  for (const DLDevice wrong : {remoteCpu(1), DLDevice{kDLCPU, 0}}) {
    EXPECT_EQ(raisedBy([&] { evaluator(module, wrong); }),
              "ValueError: Need to pass the matched remote device to RPCModule.GetTimeEvaluator");
  }
}

TEST_F(RemoteModules, ServersWithoutAFunctionAreTold) {
  const auto without = [](const char* name, auto ask) {
    OtherBoard other;
    other.board.named["tvm.rpc.server.load_module"] = {std::int64_t{73}, OpaquePointer{0x12}};
    const auto far =
        callNamed("rpc.Connect", "127.0.0.1", other.server.port(), "", false).cast<ffi::Module>();
    const auto module = callNamed("rpc.LoadRemoteModule", far, "lib.so").cast<ffi::Module>();
    EXPECT_NE(raisedBy([&] {
                ask(module);
              }).find(std::string("InternalError: Cannot find the remote function ") + name),
              std::string::npos)
        << name;
  };
  without("tvm.rpc.server.ModuleGetFunction", [](const ffi::Module& module) { module->GetFunction("main"); });
  without("tvm.rpc.server.ImportModule",
          [](const ffi::Module& module) { callNamed("rpc.ImportRemoteModule", module, module); });
  without("runtime.RPCTimeEvaluator", [](const ffi::Module& module) {
    const auto index = callNamed("rpc.SessTableIndex", module).cast<std::int64_t>();
    callNamed("opscope.rpc.time_evaluator", module, "main", 1 + 128 * (index + 1), 0, 2, 3, 4, 5, 6, 7, 8,
              "");
  });
  board.named.erase("tvm.rpc.server.load_module");
  const ffi::Module session = connect();
  const std::string raised = raisedBy([&] { callNamed("rpc.LoadRemoteModule", session, "lib.so"); });
  EXPECT_NE(raised.find("InternalError: Cannot find the remote function tvm.rpc.server.load_module"),
            std::string::npos)
      << raised;
}

TEST_F(RemoteModules, ClosingEndsTheSessionForAllThatCameFromIt) {
  const ffi::Module session = connect();
  const ffi::Function echo = function(session, "echo");
  ffi::Tensor tensor = function(session, "tensor")().cast<ffi::Tensor>();
  function(session, "CloseRPCConnection")();
  EXPECT_EQ(board.countOf(FrameCode::Shutdown), 1u);
  EXPECT_TRUE(board.endedInOrder());
  EXPECT_NE(raisedBy([&] { echo(1); }).find("RPCError: the session with"), std::string::npos);
  function(session, "CloseRPCConnection")();
}

TEST_F(RemoteModules, WhatCameFromASessionKeepsItOpen) {
  std::optional<ffi::Function> echo;
  {
    const ffi::Module session = connect();
    echo = function(session, "echo");
  }
  EXPECT_EQ((*echo)(3).cast<int>(), 3);
  echo.reset();
  EXPECT_EQ(board.countOf(FrameCode::Shutdown), 1u);
}

TEST_F(RemoteModules, ThereAreAtMost32Sessions) {
  std::list<OtherBoard> boards;
  std::vector<ffi::Module> sessions;
  const auto connectOneMore = [&] {
    boards.emplace_back();
    sessions.push_back(
        callNamed("rpc.Connect", "127.0.0.1", boards.back().server.port(), "", false).cast<ffi::Module>());
  };
  for (std::int64_t i = 0; i < kMaxSessions; ++i) {
    connectOneMore();
    EXPECT_EQ(callNamed("rpc.SessTableIndex", sessions.back()).cast<std::int64_t>(), i);
  }
  EXPECT_NE(raisedBy(connectOneMore).find("RPCError: there are 32 remote sessions"), std::string::npos);
  sessions.erase(sessions.begin() + 7);
  connectOneMore();  // takes the number that became free
  EXPECT_EQ(callNamed("rpc.SessTableIndex", sessions.back()).cast<std::int64_t>(), 7);
}

TEST(SessionMask, IsTypePlus128TimesIndexPlusOne) {
  EXPECT_FALSE(isRemoteDevice({kDLCUDA, 1}));
  const DLDevice masked = addSessionMask({kDLCUDA, 1}, 4);
  EXPECT_EQ(static_cast<int>(masked.device_type), 2 + 128 * 5);
  EXPECT_EQ(sessionIndexOf(masked), 4);
  EXPECT_EQ(removeSessionMask(masked).device_type, kDLCUDA);
  EXPECT_EQ(removeSessionMask(masked).device_id, 1);
}

}  // namespace opscope::rpc
