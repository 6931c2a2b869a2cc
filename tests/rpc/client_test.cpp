// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/client.h"

#include <gtest/gtest.h>

#include <cmath>
#include <future>
#include <numeric>
#include <thread>

#include "engine/rpc/remote_calls.h"
#include "tests/rpc/board_session.h"

namespace opscope::rpc {

namespace {

using namespace std::chrono_literals;
using test::BoardSession;
using test::FakeBoard;

constexpr FunctionHandle kEcho{test::kEcho};

CallResult called(Client& client, std::uint64_t function, std::vector<Value> arguments = {}) {
  auto result = client.call(FunctionHandle{function}, arguments);
  EXPECT_TRUE(result) << result.error().message;
  return result ? *std::move(result) : CallResult{};
}

/// Calls a function and expects the session to be over with that code.
base::Error lostBy(BoardSession& session, std::uint64_t function, base::ErrorCode code) {
  const auto result = session.client->call(FunctionHandle{function}, {});
  EXPECT_FALSE(result);
  const base::Error error = result ? base::Error{} : result.error();
  EXPECT_EQ(error.code, code) << error.message;
  EXPECT_TRUE(session.client->failure().has_value());
  const auto next = session.client->call(kEcho, {true});
  EXPECT_FALSE(next);
  return error;
}

}  // namespace

TEST(Client, ItFindsOutWhatTheServerIs) {
  BoardSession newer;
  newer.open();
  EXPECT_EQ(newer.client->server().kind, ServerKind::Tvm022);
  EXPECT_EQ(newer.client->server().deviceKey, "board");

  BoardSession older([](FakeBoard& board) {
    board.encoding = Encoding::Tvm021;
    board.named = {{"runtime.SystemLib", {std::int64_t{0}, Value()}}};
  });
  EXPECT_EQ(older.client->server().kind, ServerKind::Tvm021);
  EXPECT_EQ(older.client->server().encoding, Encoding::Tvm021);

  BoardSession legacy([](FakeBoard& board) { board.encoding = Encoding::Legacy; });
  EXPECT_EQ(legacy.client->server().kind, ServerKind::Legacy);
  EXPECT_EQ(std::get<std::string>(called(*legacy.client, test::kEcho, {std::string("old")}).value), "old");

  BoardSession ours([](FakeBoard& board) {
    board.named["opscope.server_info"] = {std::int64_t{65}, std::string("{\"version\":1}")};
    board.named["tvm.rpc.server.GetCRTMaxPacketSize"] = {std::int64_t{1}, std::int64_t{4096}};
  });
  EXPECT_EQ(ours.client->server().kind, ServerKind::Opscope);
  EXPECT_EQ(ours.client->server().opscopeInfo, "{\"version\":1}");
  EXPECT_EQ(ours.client->server().maxPacketBytes, 4096u);
}

TEST(Client, OurServerIsKnownAfterOneTurn) {
  const auto board = [](const std::string& handle, const std::string& info) {
    return [handle, info](FakeBoard& made) {
      made.deviceKey = "server:board -opscope-info=" + handle;
      made.named["opscope.server_info"] = {std::int64_t{65}, info};  // behind ffi.SystemLib
    };
  };
  BoardSession ours(board(std::to_string(test::kFirstNamed + 1), "{\"abi\": \"0.21\"}"));
  EXPECT_EQ(ours.client->server().kind, ServerKind::Opscope);
  EXPECT_EQ(ours.client->server().deviceKey, "board");
  EXPECT_EQ(ours.client->server().encoding, Encoding::Tvm021);
  ours.end();
  EXPECT_EQ(ours.board.countOf(FrameCode::GetGlobalFunction), 0u);  // nothing was looked for

  // Whatever does not come as it should is found out in the common way.
  for (const std::string handle : {"99", "0", "x", "", "18446744073709551616"}) {
    BoardSession asked(board(handle, "{\"abi\": \"0.22\"}"));
    ASSERT_NE(asked.client, nullptr);
    EXPECT_EQ(asked.client->server().kind, ServerKind::Opscope) << handle;
    EXPECT_EQ(asked.client->server().encoding, Encoding::Tvm022);
    EXPECT_EQ(std::get<bool>(called(*asked.client, test::kEcho, {true}).value), true);
  }
}

TEST(Client, TheKeyTextHasKeyAndWholeSeconds) {
  BoardSession session;
  session.open([](ConnectSettings& settings) {
    settings.key = "rasp:0.123";
    settings.sessionSeconds = 90;
  });
  EXPECT_EQ(session.board.keyText(), "client:rasp:0.123 -timeout=90 -opscope-info");
  const auto refused = Client::open({.host = "127.0.0.1", .port = session.server.port(), .key = "two words"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::ErrorCode::InvalidArgument);
}

TEST(Client, ValuesOfEveryKindComeBackFromACall) {
  for (const Encoding encoding : {Encoding::Legacy, Encoding::Tvm021, Encoding::Tvm022}) {
    SCOPED_TRACE(encodingName(encoding));
    BoardSession session([encoding](FakeBoard& board) { board.encoding = encoding; });
    const std::vector<Value> values = {Value(),
                                       std::int64_t{-7},
                                       1.5,
                                       OpaquePointer{9},
                                       DLDataType{kDLInt, 8, 2},
                                       DLDevice{kDLVulkan, 1},
                                       std::string("text"),
                                       Bytes{std::string("\0b", 2)}};
    for (const Value& value : values) {
      // Types of pointers are numbered anew by each version; the others do not matter here.
      if (encoding == Encoding::Legacy && std::holds_alternative<OpaquePointer>(value)) {
        continue;
      }
      EXPECT_TRUE(sameValue(called(*session.client, test::kEcho, {value}).value, value)) << kindOf(value);
    }
  }
}

TEST(Client, ObjectsOfTheServersComeAsTheirKind) {
  BoardSession session;
  session.open();
  Client& client = *session.client;
  EXPECT_EQ(std::get<FunctionHandle>(called(client, test::kFunction).value).handle, 0x11u);
  EXPECT_EQ(std::get<ModuleHandle>(called(client, test::kModule).value).handle, 0x12u);
  const CallResult object = called(client, test::kObject);
  EXPECT_EQ(std::get<ObjectHandle>(object.value).handle, 0x13u);
  EXPECT_EQ(object.typeTag, 140);
  const CallResult tensor = called(client, test::kTensor);
  EXPECT_EQ(std::get<TensorView>(tensor.value).data, 0x5000u);
  EXPECT_EQ(tensor.owner, 0x7777u);
  const CallResult view = called(client, test::kView);
  EXPECT_EQ(std::get<TensorView>(view.value).byteOffset, 8u);
  EXPECT_EQ(view.owner, 0u);
}

TEST(Client, LargeBytesAreNotCopied) {
  BoardSession session;
  session.open();
  const CallResult small = called(*session.client, test::kBlob, {std::int64_t{100}});
  EXPECT_EQ(small.bytes(), std::string(100, 'b'));
  const CallResult large = called(*session.client, test::kBlob, {std::int64_t{9} << 20});
  ASSERT_TRUE(large.bytes().has_value());
  EXPECT_EQ(large.bytes()->size(), std::size_t{9} << 20);
  EXPECT_EQ(large.bytes()->find_first_not_of('b'), std::string_view::npos);
  EXPECT_GE(large.bytes()->data(), large.memory.data());
}

TEST(Client, GlobalFunctionsMayBeMissing) {
  BoardSession session;
  session.open();
  const auto missing = session.client->globalFunction("no.such");
  ASSERT_TRUE(missing);
  EXPECT_FALSE(missing->has_value());
  const auto kept = session.client->keptFunction("no.such");
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().code, base::ErrorCode::MissingFunction);
  const std::size_t before = session.board.countOf(FrameCode::GetGlobalFunction);
  EXPECT_TRUE(session.client->callGlobal("echo", {true}));
  EXPECT_TRUE(session.client->callGlobal("echo", {true}));
  EXPECT_EQ(session.board.countOf(FrameCode::GetGlobalFunction), before + 1);
}

TEST(Client, ExceptionsLeaveTheSessionGood) {
  BoardSession session;
  session.open();
  const auto failed = session.client->call(FunctionHandle{test::kFail}, {std::string("boom\nand more")});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, base::ErrorCode::Remote);
  EXPECT_EQ(failed.error().message, session.client->peer() + ": boom");
  EXPECT_EQ(failed.error().detail, "and more");
  const auto traced = session.client->call(
      FunctionHandle{test::kFail},
      {std::string("Traceback (most recent call last):\n  File \"a\"\nValueError: boom\n")});
  EXPECT_EQ(traced.error().message, session.client->peer() + ": ValueError: boom");
  EXPECT_TRUE(session.client->call(kEcho, {true}));
}

TEST(Client, WhatCannotBeSentLeavesTheSessionGood) {
  BoardSession session;
  session.open();
  EXPECT_EQ(session.client->call(kEcho, {std::string("a\0b", 3)}).error().code,
            base::ErrorCode::InvalidArgument);
  const std::vector<Value> many(5000);
  EXPECT_EQ(session.client->call(kEcho, many).error().code, base::ErrorCode::InvalidArgument);
  EXPECT_TRUE(session.client->call(kEcho, {true}));
}

TEST(Client, ManyCallsGoInOne) {
  BoardSession session;
  session.open();
  std::vector<CallRequest> requests;
  for (std::int64_t i = 0; i < 3000; ++i) {
    requests.push_back(i == 1000 ? CallRequest{{test::kFail}, {std::string("boom")}}
                                 : CallRequest{kEcho, {i}});
  }
  const auto results = session.client->callAll(requests);
  ASSERT_TRUE(results) << results.error().message;
  ASSERT_EQ(results->size(), 3000u);
  EXPECT_EQ(std::get<std::int64_t>(results->at(2999)->value), 2999);
  ASSERT_FALSE(results->at(1000));
  EXPECT_EQ(results->at(1000).error().code, base::ErrorCode::Remote);
}

TEST(Client, AnEndedSessionIsToldWithWhatToDo) {
  for (const std::uint64_t function : {test::kBreak, test::kDie}) {
    BoardSession session;
    session.open();
    const base::Error error = lostBy(session, function, base::ErrorCode::ConnectionLost);
    EXPECT_NE(error.message.find("was lost"), std::string::npos) << error.message;
    EXPECT_FALSE(error.detail.empty());
    EXPECT_NE(error.hint.find("connect again"), std::string::npos);
  }
}

TEST(Client, ASilentBoardIsATimeout) {
  BoardSession session;
  session.open([](ConnectSettings& settings) { settings.callTime = test::kShort; });
  const base::Error error = lostBy(session, test::kSilence, base::ErrorCode::Timeout);
  EXPECT_FALSE(error.hint.empty());
}

TEST(Client, TheSessionsOwnTimeoutIsKnownAtAnyTime) {
  BoardSession session;
  session.board.hook = [](FakeBoard& board, const Frame& frame) {
    if (frame.code != FrameCode::Call) {
      return false;
    }
    board.answer(frame);
    board.sendException("RPCSessionTimeoutError: 10 seconds were over");  // unasked
    return true;
  };
  session.open();
  EXPECT_TRUE(session.client->call(kEcho, {true}));
  const auto late = session.client->globalFunction("echo");
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, base::ErrorCode::Timeout);
  EXPECT_EQ(late.error().detail, "10 seconds were over");
}

TEST(Client, EmptyFramesMeanNothing) {
  BoardSession session;
  session.board.hook = [](FakeBoard& board, const Frame&) {
    board.sendBytes(std::string(24, '\0'));
    return false;
  };
  session.open();
  EXPECT_TRUE(session.client->call(kEcho, {true}));
}

TEST(Client, EmptyFramesForEverAreATimeout) {
  BoardSession session;
  session.board.hook = [](FakeBoard& board, const Frame& frame) {
    while (frame.code == FrameCode::Call &&
           board.connection().send(std::string(8, '\0'), Deadline::after(1s)).has_value()) {
      std::this_thread::sleep_for(1ms);
    }
    return frame.code == FrameCode::Call;
  };
  session.open([](ConnectSettings& settings) { settings.callTime = test::kShort; });
  lostBy(session, test::kEcho, base::ErrorCode::Timeout);
}

TEST(Client, FreesGoWithTheNextRequestAndMayFail) {
  BoardSession session;
  session.board.hook = [](FakeBoard& board, const Frame& frame) {
    if (frame.code != FrameCode::FreeHandle) {
      return false;
    }
    board.sendException("no such handle");
    return true;
  };
  session.open();
  {
    const RemoteModule module(*session.client, ModuleHandle{0x12});
    auto tensor = tensorOf(*session.client, called(*session.client, test::kTensor), "tensor");
    ASSERT_TRUE(tensor);
    RemoteTensor moved = *std::move(tensor);
    EXPECT_EQ(moved.view().data, 0x5000u);
  }
  EXPECT_EQ(session.board.countOf(FrameCode::FreeHandle), 1u);  // ffi.SystemLib, which opening looked at
  EXPECT_TRUE(session.client->call(kEcho, {true}));
  const auto frames = session.board.logged();
  ASSERT_EQ(session.board.countOf(FrameCode::FreeHandle), 3u);
  EXPECT_EQ(std::get<OpaquePointer>(frames[frames.size() - 3].values.at(0)).address, 0x7777u);
  EXPECT_EQ(std::get<OpaquePointer>(frames[frames.size() - 2].values.at(0)).address, 0x12u);
}

TEST(Client, ManyFreesDoNotPileUp) {
  BoardSession session;
  session.open();
  for (std::uint64_t i = 1; i <= 1000; ++i) {
    session.client->free(i);
  }
  EXPECT_GE(session.board.countOf(FrameCode::FreeHandle), 800u);
  EXPECT_TRUE(session.client->call(kEcho, {true}));
  EXPECT_EQ(session.board.countOf(FrameCode::FreeHandle), 1001u);
}

TEST(Client, LegacyServersAreToldWhatTheyFree) {
  BoardSession session([](FakeBoard& board) {
    board.encoding = Encoding::Legacy;
    board.named["legacy.module"] = {std::int64_t{9}, OpaquePointer{0x90}};
  });
  const auto module = session.client->callGlobal("legacy.module", {});
  ASSERT_TRUE(module);
  EXPECT_EQ(std::get<ModuleHandle>(module->value).handle, 0x90u);
  session.client->free(0x90);
  session.client->free(0x55);
  EXPECT_TRUE(session.client->call(kEcho, {true}));
  std::vector<std::int64_t> types;
  for (const Frame& frame : session.board.logged()) {
    if (frame.code == FrameCode::FreeHandle) {
      types.push_back(std::get<std::int64_t>(frame.values.at(1)));
    }
  }
  EXPECT_EQ(types, (std::vector<std::int64_t>{9, 10}));
}

TEST(Client, AnOrderlyEndIsToldAndReadToItsEnd) {
  BoardSession session;
  session.open();
  session.client->free(0x12);
  session.client->shutdown();
  EXPECT_EQ(session.board.countOf(FrameCode::Shutdown), 1u);
  EXPECT_TRUE(session.board.endedInOrder());
  EXPECT_FALSE(session.client->call(kEcho, {true}));
  session.client->shutdown();
}

TEST(Client, AnEndAfterATimeoutIsOrderlyToo) {
  BoardSession session;
  session.open([](ConnectSettings& settings) { settings.callTime = test::kShort; });
  EXPECT_FALSE(session.client->call(FunctionHandle{test::kSilence}, {}));
  session.end();
  EXPECT_EQ(session.board.countOf(FrameCode::Shutdown), 1u);
  EXPECT_TRUE(session.board.endedInOrder());
}

TEST(Client, AnEndDoesNotWaitForEver) {
  BoardSession session;
  session.board.hook = [](FakeBoard& board, const Frame& frame) {
    char byte = 0;
    while (frame.code == FrameCode::Shutdown && board.connection().receiveExact(&byte, 0, Deadline::none()) &&
           !board.connection().aborted()) {
      std::this_thread::sleep_for(5ms);  // deaf, and keeps the connection open
    }
    return false;
  };
  session.open([](ConnectSettings& settings) { settings.closeTime = test::kShort; });
  const auto before = std::chrono::steady_clock::now();
  session.end();
  EXPECT_LT(std::chrono::steady_clock::now() - before, test::kLong);
}

TEST(Client, AbortEndsACallOfAnotherThread) {
  BoardSession session;
  session.open();
  auto waiting = std::async(std::launch::async,
                            [&session] { return session.client->call(FunctionHandle{test::kSilence}, {}); });
  std::this_thread::sleep_for(20ms);
  session.client->abort();
  const auto result = waiting.get();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, base::ErrorCode::Cancelled);
}

TEST(Client, TheRegistrysNamesAreRead) {
  BoardSession session([](FakeBoard& board) {
    board.named["ffi.FunctionListGlobalNamesFunctor"] = {std::int64_t{68}, OpaquePointer{0x900}};
  });
  session.board.hook = [](FakeBoard& board, const Frame& frame) {
    if (frame.code != FrameCode::Call || frame.function != 0x900) {
      return false;
    }
    const std::int64_t index = std::get<std::int64_t>(frame.values.at(0));
    board.sendReturn(index < 0 ? std::vector<Value>{std::int64_t{1}, std::int64_t{700}}
                               : std::vector<Value>{std::int64_t{65}, "name" + std::to_string(index)});
    return true;
  };
  const auto names = globalNames(*session.client);
  ASSERT_TRUE(names) << names.error().message;
  ASSERT_EQ(names->size(), 700u);
  EXPECT_EQ(names->back(), "name699");
}

}  // namespace opscope::rpc
