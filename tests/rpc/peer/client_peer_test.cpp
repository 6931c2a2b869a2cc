// SPDX-License-Identifier: Apache-2.0
// Our client against the server of the real TVM.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <sstream>

#include "engine/rpc/remote_calls.h"
#include "tests/rpc/peer/peer_process.h"

namespace opscope::rpc {

namespace {

using namespace std::chrono_literals;
using test::StockServer;

template <class T>
T must(base::Result<T> result) {
  EXPECT_TRUE(result) << result.error().message << "; " << result.error().detail;
  if (!result) {
    throw std::runtime_error(result.error().message);
  }
  return *std::move(result);
}
void must(const base::Result<>& result) {
  ASSERT_TRUE(result) << result.error().message << "; " << result.error().detail;
}

std::string fileContent(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(std::string(OPSCOPE_TEST_DATA) + "/vm/" + name, std::ios::binary).rdbuf();
  EXPECT_FALSE(text.str().empty()) << name;
  return text.str();
}

std::vector<float> numbers(std::size_t count, std::uint32_t seed) {
  std::vector<float> values(count);
  for (float& value : values) {
    seed = seed * 1664525U + 1013904223U;
    value = static_cast<float>(seed >> 8) / static_cast<float>(1U << 24) - 0.5F;
  }
  return values;
}

RemoteTensor tensorOn(Client& client, std::vector<std::int64_t> shape, std::span<const float> values) {
  auto tensor =
      must(RemoteTensor::allocate(client, {0, {kDLCPU, 0}, {kDLFloat, 32, 1}, std::move(shape), 0}));
  must(client.copyTo(tensor.view(), std::as_bytes(values)));
  return tensor;
}

std::vector<float> valuesOf(const RemoteTensor& tensor) {
  std::vector<float> values(dataBytes(tensor.view()).value() / sizeof(float));
  must(tensor.client().copyFrom(tensor.view(), std::as_writable_bytes(std::span(values))));
  return values;
}

CallResult callOf(Client& client, ModuleHandle module, const std::string& name,
                  std::initializer_list<Value> arguments) {
  const auto function = must(moduleFunction(client, module, name));
  EXPECT_FALSE(function.empty()) << name;
  return must(function(arguments));
}

/// A library whose function adds its input 300 times to itself, made for the peer's version, with its
/// machine.
struct Chain {
  explicit Chain(Client& client) {
    must(
        upload(client, "chain.so", fileContent(test::peerIs021() ? "tvm021/chain21.so" : "tvm027/chain.so")));
    library = must(loadModule(client, "chain.so"));
    machine =
        must(moduleOf(client, callOf(client, library.get(), "vm_load_executable", {}), "vm_load_executable"));
    callOf(client, machine.get(), "vm_initialization", {std::int64_t{1}, std::int64_t{0}, std::int64_t{2}});
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(i);
    }
    input = tensorOn(client, {16}, values);
  }
  void expectResult(const RemoteTensor& result) const {
    const auto found = valuesOf(result);
    ASSERT_EQ(found.size(), values.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i], values[i] * 301);
    }
  }

  std::array<float, 16> values{};
  RemoteModule library;
  RemoteModule machine;
  RemoteTensor input;
};

}  // namespace

TEST(ClientPeer, ItIsKnownForWhatItIs) {
  const StockServer server;
  const auto client = server.connect();
  ASSERT_NE(client, nullptr);
  EXPECT_EQ(client->server().kind, test::peerIs021() ? ServerKind::Tvm021 : ServerKind::Tvm022);
  const auto names = must(globalNames(*client));
  EXPECT_GT(names.size(), 1000u);
  EXPECT_NE(std::find(names.begin(), names.end(), "runtime.RPCTimeEvaluator"), names.end());
}

TEST(ClientPeer, ValuesOfEveryKindComeBack) {
  const StockServer server;
  const auto client = server.connect();
  ASSERT_NE(client, nullptr);
  for (const Value& value : std::vector<Value>{
           Value(), std::int64_t{-7}, 1.5, true, OpaquePointer{0x1234}, DLDataType{kDLInt, 8, 2},
           DLDevice{kDLCUDA, 1}, std::string("text"), std::string(), std::string("longer than seven"),
           Bytes{std::string("\0b", 2)}, Bytes{std::string(100, 'x')}}) {
    EXPECT_TRUE(sameValue(must(client->callGlobal("testing.echo", {value})).value, value)) << kindOf(value);
  }
  const CallResult list = must(client->callGlobal("ffi.Array", {std::int64_t{3}, std::string("b")}));
  const auto array = must(objectOf(*client, CallResult{list.typeTag, list.value, 0, {}}, "ffi.Array"));
  EXPECT_EQ(must(intOf(*client, must(client->callGlobal("ffi.ArraySize", {array.get()})), "ffi.ArraySize")),
            2);
  const CallResult item = must(client->callGlobal("ffi.ArrayGetItem", {array.get(), std::int64_t{1}}));
  EXPECT_EQ(std::get<std::string>(item.value), "b");
}

TEST(ClientPeer, AVirtualMachineRuns) {
  const StockServer server;
  const auto client = server.connect();
  ASSERT_NE(client, nullptr);
  const Chain model(*client);
  callOf(*client, model.machine.get(), "set_input", {std::string("main"), model.input.view()});
  callOf(*client, model.machine.get(), "invoke_stateful", {std::string("main")});
  EXPECT_EQ(
      must(intOf(*client, callOf(*client, model.machine.get(), "get_output_arity", {std::string("main")}),
                 "get_output_arity")),
      -1);
  const auto result = must(tensorOf(
      *client, callOf(*client, model.machine.get(), "get_output", {std::string("main")}), "get_output"));
  model.expectResult(result);
  EXPECT_TRUE(must(moduleFunction(*client, model.library.get(), "no_such_function")).empty());
}

TEST(ClientPeer, TheTimeEvaluatorMeasures) {
  const StockServer server;
  const auto client = server.connect();
  ASSERT_NE(client, nullptr);
  const Chain model(*client);
  callOf(*client, model.machine.get(), "save_function",
         {std::string("main"), std::string("saved"), std::int64_t{0}, model.input.view()});
  const auto evaluator = must(functionOf(
      *client,
      must(client->callGlobal("runtime.RPCTimeEvaluator",
                              {model.machine.get(), std::string("saved"), std::int64_t{1}, std::int64_t{0},
                               std::int64_t{5}, std::int64_t{3}, std::int64_t{0}, std::int64_t{100},
                               std::int64_t{0}, std::int64_t{1}, std::int64_t{0}, std::string()})),
      "runtime.RPCTimeEvaluator"));
  const CallResult times = must(evaluator({}));
  ASSERT_TRUE(times.bytes().has_value());
  ASSERT_EQ(times.bytes()->size(), 3 * sizeof(double));
  double seconds = 0;
  std::memcpy(&seconds, times.bytes()->data(), sizeof(seconds));
  EXPECT_GT(seconds, 0);
  EXPECT_LT(seconds, 10);
}

TEST(ClientPeer, FilesGoUpAndComeBack) {
  const StockServer server;
  const auto client = server.connect();
  ASSERT_NE(client, nullptr);
  std::string content(std::size_t{3} << 20, '\0');
  for (std::size_t i = 0; i < content.size(); ++i) {
    content[i] = static_cast<char>(i * 7 + i / 4096);
  }
  std::uint64_t last = 0;
  CallOptions options;
  options.progress = [&last](std::uint64_t done, std::uint64_t total) {
    EXPECT_GT(done, last);
    EXPECT_LE(done, total);
    last = done;
  };
  must(upload(*client, "file.bin", content, options));
  EXPECT_GT(last, content.size());
  const CallResult back = must(download(*client, "file.bin"));
  EXPECT_TRUE(back.bytes() == content);
  must(removeFile(*client, "file.bin"));
  EXPECT_FALSE(download(*client, "file.bin"));
  EXPECT_TRUE(client->callGlobal("testing.echo", {true}));
}

TEST(ClientPeer, TensorsAreCopiedWithTheirOffsets) {
  const StockServer server;
  const auto client = server.connect();
  ASSERT_NE(client, nullptr);
  const auto values = numbers((std::size_t{9} << 20) / sizeof(float) + 3, 5);
  const auto tensor = tensorOn(*client, {static_cast<std::int64_t>(values.size())}, values);
  EXPECT_TRUE(valuesOf(tensor) == values);
  TensorView part = tensor.view();
  part.byteOffset = 16;
  part.shape = {4};
  std::array<float, 4> four{};
  must(client->copyFrom(part, std::as_writable_bytes(std::span(four))));
  EXPECT_TRUE(std::equal(four.begin(), four.end(), values.begin() + 4));
  const auto other = must(RemoteTensor::allocate(*client, tensor.view()));
  must(client->copyAmong(tensor.view(), other.view()));
  EXPECT_TRUE(valuesOf(other) == values);
}

TEST(ClientPeer, DevicesTellOfThemselves) {
  const StockServer server;
  const auto client = server.connect();
  ASSERT_NE(client, nullptr);
  const DLDevice cpu{kDLCPU, 0};
  EXPECT_EQ(std::get<std::int64_t>(must(client->deviceAttribute(cpu, DeviceAttribute::Exists))), 1);
  EXPECT_EQ(std::get<std::int64_t>(must(client->deviceAttribute({kDLCUDA, 0}, DeviceAttribute::Exists))), 0);
  EXPECT_EQ(client->deviceAttribute({kDLCUDA, 0}, DeviceAttribute::Name).error().code,
            base::ErrorCode::Remote);
  must(client->synchronise(cpu));
  must(client->setDevice(cpu));
  const std::uint64_t stream = must(client->createStream(cpu));
  must(client->setStream(cpu, stream));
  EXPECT_EQ(must(client->currentStream(cpu)), stream);
  must(client->freeStream(cpu, stream));
  EXPECT_NE(must(client->allocateBytes(cpu, 100, 64, {kDLFloat, 32, 1})), 0u);
}

TEST(ClientPeer, WhatItRaisesIsToldAndTheSessionGoesOn) {
  const StockServer server;
  const auto client = server.connect();
  ASSERT_NE(client, nullptr);
  const auto missing = client->callGlobal("tvm.rpc.server.load_module", {std::string("nofile.so")});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, base::ErrorCode::Remote);
  EXPECT_NE(missing.error().message.find("nofile.so"), std::string::npos) << missing.error().message;
  EXPECT_TRUE(client->callGlobal("testing.echo", {true}));
}

TEST(ClientPeer, SessionsFollowOneAnother) {
  const StockServer server;
  for (int i = 0; i < 20; ++i) {
    const auto client = server.connect();
    ASSERT_NE(client, nullptr) << i;
    EXPECT_TRUE(client->callGlobal("testing.echo", {std::int64_t{i}}));
    if (i % 3 == 0) {
      client->free(must(client->globalFunction("testing.echo")).value().handle);
    }
  }
}

TEST(ClientPeer, ABrokenSessionIsToldAndADeafServerDiagnosed) {
  const StockServer server;
  auto client = server.connect();
  ASSERT_NE(client, nullptr);
  const auto broken = client->call(FunctionHandle{0x10}, {});
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, base::ErrorCode::ConnectionLost);
  EXPECT_NE(broken.error().hint.find("restart"), std::string::npos);
  client.reset();
  ConnectSettings settings = server.settings();
  settings.answerTime = 3s;
  const auto again = Client::open(settings);  // TVM's server does not live through this
  ASSERT_FALSE(again);
  EXPECT_NE(again.error().code, base::ErrorCode::Cancelled);
  EXPECT_NE(again.error().message.find("does not answer"), std::string::npos) << again.error().message;
}

TEST(ClientPeer, ABoardThatIsHeldIsDiagnosed) {
  const StockServer server;
  auto holder = server.connect();
  ASSERT_NE(holder, nullptr);
  ConnectSettings settings = server.settings();
  settings.answerTime = 1s;
  const auto second = Client::open(settings);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, base::ErrorCode::Timeout);
  EXPECT_NE(second.error().hint.find("another client may hold the board"), std::string::npos);
  EXPECT_TRUE(holder->callGlobal("testing.echo", {true}));
}

TEST(ClientPeer, ASessionWhoseTimeIsOverIsToldSo) {
  const StockServer server;
  ConnectSettings settings = server.settings();
  settings.sessionSeconds = 1;
  const auto client = server.connect(settings);
  ASSERT_NE(client, nullptr);
  base::Result<CallResult> result = client->callGlobal("testing.echo", {true});
  for (int i = 0; i < 200 && result; ++i) {
    ::usleep(50'000);
    result = client->callGlobal("testing.echo", {true});
  }
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, base::ErrorCode::Timeout) << result.error().message << result.error().detail;
}

TEST(ClientPeer, KeysAreMatched) {
  const StockServer server({"--key", "rasp"});
  ConnectSettings settings = server.settings();
  settings.key = "other";
  const auto wrong = Client::open(settings);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, base::ErrorCode::Remote);
  EXPECT_NE(wrong.error().message.find("does not serve the key"), std::string::npos);
  settings.key = "rasp";
  settings.clientName = "somebody@somewhere";  // which a stock server does not know
  const auto client = server.connect(settings);
  ASSERT_NE(client, nullptr);
  EXPECT_EQ(client->server().deviceKey, "rasp");
  settings.secret = "a secret of sixteen bytes";
  settings.answerTime = 2s;
  EXPECT_FALSE(Client::open(settings));
}

TEST(ClientPeer, ThroughAHopCopiesKeepTheirOffsets) {
  const StockServer near;
  const StockServer far;
  ConnectSettings settings = near.settings();
  settings.constructor = hopTo("127.0.0.1", std::stoi(far.port()), "");
  const auto client = near.connect(settings);
  ASSERT_NE(client, nullptr);
  EXPECT_TRUE(client->callGlobal("testing.echo", {std::int64_t{1}}));
  const auto values = numbers(1000, 9);
  const auto tensor = tensorOn(*client, {1000}, values);
  TensorView part = tensor.view();
  part.byteOffset = 16;
  part.shape = {4};
  std::array<float, 4> four{};
  must(client->copyFrom(part, std::as_writable_bytes(std::span(four))));
  EXPECT_TRUE(std::equal(four.begin(), four.end(), values.begin() + 4));
}

}  // namespace opscope::rpc
