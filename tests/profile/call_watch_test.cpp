// SPDX-License-Identifier: Apache-2.0
// Calls as consumers see them, the dump and the check, over real executables.
#include "engine/profile/call_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "engine/profile/finite_check.h"
#include "engine/profile/tensor_dump.h"
#include "engine/runtime/backend_symbols.h"
#include "engine/runtime/run_context.h"
#include "engine/vm/builtins.h"
#include "engine/vm/executable_file.h"
#include "tests/vm/case_runner.h"

namespace opscope::profile {
namespace {

namespace ffi = tvm::ffi;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Keeps what each call showed, in words.
class Listing final : public CallConsumer {
 public:
  base::Result<> afterCall(const WatchedCall& call) override {
    std::string line = std::to_string(call.sequence) + " " + std::string(call.name) + " in " +
                       std::string(call.function) + " at " + std::to_string(call.instruction);
    for (const WatchedTensor& shown : call.tensors) {
      line += (shown.isInPlace ? " !" : shown.isOutput ? " >" : " ") + shown.place;
    }
    (call.kind == CallKind::Bookkeeping ? bookkeeping : lines).push_back(line);
    return {};
  }
  std::vector<std::string> lines;
  std::vector<std::string> bookkeeping;
};

class Watching : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    runtime::registerBackendSymbols();
    vm::registerBuiltins();
  }

  void open(const std::string& fixture) {
    const auto file = vm::readExecutableFile(std::string(OPSCOPE_TEST_DATA "/vm/") + fixture + ".so");
    ASSERT_TRUE(file) << file.error().message;
    auto machine = vm::StatefulMachine::create(*file, {}, m_context);
    ASSERT_TRUE(machine) << machine.error().message;
    m_machine = std::move(*machine);
  }
  base::Result<> run(const std::string& function, const std::vector<ffi::Any>& arguments,
                     std::vector<CallConsumer*> consumers) {
    const CallWatch watch(*m_machine, std::move(consumers));
    const auto result = m_machine->invoke(function, arguments);
    m_calls = watch.callCount();
    return result ? base::Result<>() : base::Result<>(result.error());
  }

  runtime::RunContext m_context{runtime::RuntimeOptions{}};
  std::unique_ptr<vm::StatefulMachine> m_machine;
  std::uint64_t m_calls = 0;
};

std::vector<float> asFloats(std::span<const std::byte> bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST_F(Watching, CallsAreNumberedAndTheirOutputsKnown) {
  open("tvm027/mlp");
  Listing listing;
  const auto arguments = vm::test::scenarioArguments("tvm027/mlp");
  ASSERT_TRUE(run("forward", arguments, {&listing}));
  ASSERT_GE(listing.lines.size(), 4u);
  EXPECT_EQ(listing.lines[0], "5 transpose in forward at 5 arg0 >arg1");
  EXPECT_EQ(listing.lines[1], "8 matmul in forward at 8 arg0 arg1 >arg2");
  EXPECT_THAT(listing.bookkeeping.front(), HasSubstr("0 vm.builtin.check_tensor_info"));
  EXPECT_EQ(m_calls, listing.lines.size() + listing.bookkeeping.size() + 7);  // alloc_tensor shows nothing
}

TEST_F(Watching, NothingIsWatchedAfterwards) {
  open("tvm027/chain");
  Listing listing;
  const ffi::Any x = vm::test::floatTensor({16}, std::vector<float>(16, 1.0F));
  ASSERT_TRUE(run("main", {x}, {&listing}));
  const std::size_t seen = listing.lines.size();
  EXPECT_GT(seen, 100u);
  ASSERT_TRUE(m_machine->invoke("main", std::vector<ffi::Any>{x}));
  EXPECT_EQ(listing.lines.size(), seen);
}

TEST_F(Watching, WhatIsWrittenInPlaceIsKnown) {
  open("tvm027/mlp_dyn");
  Listing listing;
  ASSERT_TRUE(run(vm::test::scenarioFunction("tvm027/mlp_dyn"), vm::test::scenarioArguments("tvm027/mlp_dyn"),
                  {&listing}));
  const auto onHeap = std::ranges::find_if(
      listing.lines, [](const std::string& line) { return line.find(" shape_func ") != std::string::npos; });
  ASSERT_NE(onHeap, listing.lines.end());
  EXPECT_THAT(*onHeap, HasSubstr(" !arg0"));
}

TEST_F(Watching, FunctionsShowTheirOwnCallsToo) {
  open("tvm027/recursion");
  Listing listing;
  ASSERT_TRUE(run("main", vm::test::scenarioArguments("tvm027/recursion"), {&listing}));
  const auto has = [&](const std::string& text) {
    return std::ranges::any_of(listing.lines,
                               [&](const std::string& line) { return line.find(text) != std::string::npos; });
  };
  EXPECT_TRUE(has(" in main at "));
  EXPECT_GT(listing.lines.size(), 3u);
}

TEST_F(Watching, ADumpHoldsTheValuesAfterEachCall) {
  open("tvm027/chain");
  std::map<std::string, std::vector<float>> dumped;
  TensorDump dump(
      [&](const std::string& key, const DLTensor&, std::span<const std::byte> bytes) -> base::Result<bool> {
        EXPECT_TRUE(dumped.emplace(key, asFloats(bytes)).second) << key;
        return true;
      },
      1 << 30);
  const ffi::Any x = vm::test::floatTensor({16}, std::vector<float>(16, 1.5F));
  ASSERT_TRUE(run("main", {x}, {&dump}));
  EXPECT_EQ(dumped.at("4/add/arg0"), std::vector<float>(16, 1.5F));
  EXPECT_EQ(dumped.at("4/add/arg2"), std::vector<float>(16, 3.0F));
  EXPECT_EQ(dumped.at("7/add/arg2"), std::vector<float>(16, 4.5F));
  EXPECT_EQ(dump.counts().tensors, dumped.size());
  EXPECT_EQ(dump.counts().calls * 3, dumped.size());
  EXPECT_EQ(dump.counts().bytes, dumped.size() * 64);
}

TEST_F(Watching, ADumpEndsAtItsLimitAndTheRunGoesOn) {
  open("tvm027/chain");
  std::vector<std::string> keys;
  TensorDump dump(
      [&](const std::string& key, const DLTensor&, std::span<const std::byte>) -> base::Result<bool> {
        keys.push_back(key);
        return true;
      },
      400);
  ASSERT_TRUE(run("main", {vm::test::floatTensor({16}, std::vector<float>(16, 1.0F))}, {&dump}));
  EXPECT_EQ(keys.size(), 6u);
  EXPECT_EQ(dump.counts().calls, 2u);
  EXPECT_GT(dump.counts().callsBeyondLimit, 100u);
}

TEST_F(Watching, AnErrorOfAConsumerEndsTheRun) {
  open("tvm027/chain");
  TensorDump dump(
      [](const std::string&, const DLTensor&, std::span<const std::byte>) -> base::Result<bool> {
        return base::Error{base::ErrorCode::Io, "the disk is full", "", ""};
      },
      1 << 30);
  const auto ran = run("main", {vm::test::floatTensor({16}, std::vector<float>(16, 1.0F))}, {&dump});
  ASSERT_FALSE(ran);
  EXPECT_THAT(ran.error().message, HasSubstr("the disk is full"));
  ASSERT_TRUE(
      m_machine->invoke("main", std::vector<ffi::Any>{vm::test::floatTensor({16}, std::vector<float>(16))}));
}

TEST_F(Watching, TheOpThatMakesInfinitiesIsNamed) {
  open("tvm027/chain");
  FiniteCheck check({});
  std::vector<float> values(16, 1.0F);
  values[5] = 3e38F;
  ASSERT_FALSE(run("main", {vm::test::floatTensor({16}, values)}, {&check}));
  ASSERT_TRUE(check.finding());
  EXPECT_EQ(check.finding()->name, "add");
  EXPECT_EQ(check.finding()->function, "main");
  EXPECT_EQ(check.finding()->sequence, 4u);
  EXPECT_EQ(check.finding()->instruction, 4u);
  EXPECT_EQ(check.finding()->output.place, "arg2");
  EXPECT_EQ(check.finding()->output.position, "[5]");
  EXPECT_EQ(check.finding()->output.found.firstValue, "inf");
  EXPECT_EQ(check.finding()->output.found.infinities, 1u);
  EXPECT_THAT(check.finding()->inputs, IsEmpty());
}

TEST_F(Watching, InputsThatAreNotFiniteAreNamedBesideTheOp) {
  open("tvm025/mlp");
  FiniteCheck check([](const DLTensor&) { return std::string("input of ours"); });
  auto arguments = vm::test::scenarioArguments("tvm025/mlp");
  std::vector<float> values(784, 0.5F);
  values[3] = std::numeric_limits<float>::quiet_NaN();
  values[700] = -std::numeric_limits<float>::infinity();
  arguments[0] = vm::test::floatTensor({1, 784}, values);
  ASSERT_FALSE(run("forward", arguments, {&check}));
  ASSERT_TRUE(check.finding());
  EXPECT_THAT(check.finding()->name, HasSubstr("matmul"));
  ASSERT_EQ(check.finding()->inputs.size(), 1u);
  const NonFiniteTensor& input = check.finding()->inputs[0];
  EXPECT_EQ(input.place, "arg0");
  EXPECT_EQ(input.origin, "input of ours");
  EXPECT_EQ(input.position, "[0, 3]");
  EXPECT_EQ(input.found.nans, 1u);
  EXPECT_EQ(input.found.infinities, 1u);
  EXPECT_EQ(input.elements, 784u);
}

TEST_F(Watching, FiniteValuesPassTheCheck) {
  open("tvm027/fp16");
  FiniteCheck check({});
  ASSERT_TRUE(run("main", vm::test::scenarioArguments("tvm027/fp16"), {&check}));
  EXPECT_FALSE(check.finding());
  EXPECT_GT(check.callsChecked(), 0u);
}

template <class T>
NonFinite scanned(DLDataType type, const std::vector<T>& values) {
  return scanFinite(type, std::as_bytes(std::span(values)));
}

TEST(ScanFinite, KnowsEachFloat) {
  const auto half = scanned<std::uint16_t>({kDLFloat, 16, 1}, {0x3C00, 0x7BFF, 0xFC00, 0x7E00, 0x7C01});
  EXPECT_EQ(half.firstIndex, 2u);
  EXPECT_EQ(half.firstValue, "-inf");
  EXPECT_EQ(half.nans, 2u);
  EXPECT_EQ(half.infinities, 1u);
  const auto bfloat = scanned<std::uint16_t>({kDLBfloat, 16, 1}, {0x3F80, 0x7F7F, 0x7F80, 0xFFC0});
  EXPECT_EQ(bfloat.firstValue, "inf");
  EXPECT_EQ(bfloat.nans, 1u);
  const double most = std::numeric_limits<double>::max();
  EXPECT_FALSE(scanned<double>({kDLFloat, 64, 1}, {most, -most, 0.0}).any());
  EXPECT_EQ(scanned<double>({kDLFloat, 64, 1}, {0.0, std::nan("")}).firstValue, "nan");
}

TEST(ScanFinite, IntegersAreAlwaysFinite) {
  EXPECT_FALSE(scanned<std::int32_t>({kDLInt, 32, 1}, {0x7F80'0000, -1}).any());
  EXPECT_FALSE(scanned<std::uint8_t>({kDLBool, 8, 1}, {255}).any());
  EXPECT_FALSE(scanFinite({kDLFloat, 32, 1}, {}).any());
}

TEST(ScanFinite, FindsTheFirstBeyondABlock) {
  std::vector<float> values(10'000, 1.0F);
  values[9'001] = std::numeric_limits<float>::infinity();
  values[9'500] = std::numeric_limits<float>::quiet_NaN();
  const NonFinite found = scanned<float>({kDLFloat, 32, 1}, values);
  EXPECT_EQ(found.firstIndex, 9'001u);
  EXPECT_EQ(found.nans + found.infinities, 2u);
}

}  // namespace
}  // namespace opscope::profile
