// SPDX-License-Identifier: Apache-2.0
// What an observer sees: every call, nested as the functions nest.
#include <gtest/gtest.h>

#include <map>

#include "tests/vm/case_runner.h"

namespace opscope::vm::test {

namespace ffi = tvm::ffi;

namespace {

struct SeenCall {
  CallSite site;
  std::int32_t argumentCount = 0;
  int firstArgumentType = -1;
  int resultType = -1;
  bool ended = false;
};

class Watcher : public CallObserver {
 public:
  void beginCall(const CallSite& site, const TVMFFIAny* arguments, std::int32_t count) override {
    m_open.push_back(calls.size());
    calls.push_back({site, count, count > 0 ? arguments[0].type_index : -1, -1, false});
  }
  void endCall(const CallSite& site, const TVMFFIAny& result) override {
    ASSERT_FALSE(m_open.empty());
    SeenCall& call = calls[m_open.back()];
    m_open.pop_back();
    EXPECT_EQ(call.site.instruction, site.instruction);
    EXPECT_EQ(call.site.depth, site.depth);
    call.ended = true;
    call.resultType = result.type_index;
  }
  std::size_t open() const { return m_open.size(); }
  std::vector<SeenCall> calls;

 private:
  std::vector<std::size_t> m_open;
};

std::map<std::string, int> countsOf(const Watcher& watcher, const ExecutableData& data) {
  std::map<std::string, int> counts;
  for (const SeenCall& call : watcher.calls) {
    ++counts[data.functions[call.site.function].name];
  }
  return counts;
}

struct Watched {
  OpenMachine open;
  Watcher watcher;
};

void watch(const std::string& name, Watched& watched) {
  auto open = openFixture(name);
  ASSERT_TRUE(open) << open.error().message;
  watched.open = *std::move(open);
  watched.open->setObserver(&watched.watcher);
  EXPECT_EQ(runAndCompare(*watched.open.machine, name), "");
  EXPECT_EQ(watched.watcher.open(), 0U);
}

TEST(Observer, SeesEveryInstructionOfAChain) {
  Watched watched;
  watch("tvm027/chain", watched);
  const auto counts = countsOf(watched.watcher, watched.open->executable());
  EXPECT_EQ(counts.at("add"), 300);
  EXPECT_EQ(counts.at("vm.builtin.alloc_tensor"), 300);
  EXPECT_GE(counts.at("vm.builtin.null_value"), 300);
  EXPECT_EQ(watched.watcher.calls.size(), watched.open->executable().instructions.size() - 1)
      << "all but ret";
  for (const SeenCall& call : watched.watcher.calls) {
    EXPECT_EQ(call.site.depth, 0U);
    EXPECT_TRUE(call.ended);
    const std::string& callee = watched.open->executable().functions[call.site.function].name;
    if (callee == "vm.builtin.alloc_tensor") {
      EXPECT_EQ(call.resultType, kTVMFFITensor);
    } else if (callee == "add") {
      EXPECT_EQ(call.argumentCount, 3);
      EXPECT_EQ(call.firstArgumentType, kTVMFFITensor);
      EXPECT_EQ(call.resultType, kTVMFFINone);
    }
  }
}

TEST(Observer, SeesRecursionDeeperAndDeeper) {
  Watched watched;
  watch("tvm027/recursion", watched);
  const ExecutableData& data = watched.open->executable();
  std::vector<std::uint32_t> depths;
  for (const SeenCall& call : watched.watcher.calls) {
    if (data.functions[call.site.function].name == "sumto") {
      depths.push_back(call.site.depth);
      EXPECT_EQ(call.resultType, kTVMFFITensor);
    }
  }
  ASSERT_EQ(depths.size(), 11U);
  for (std::uint32_t i = 0; i < depths.size(); ++i) {
    EXPECT_EQ(depths[i], i);
  }
}

TEST(Observer, SeesCallsInsideClosures) {
  Watched watched;
  watch("tvm027/closure", watched);
  const ExecutableData& data = watched.open->executable();
  for (const SeenCall& call : watched.watcher.calls) {
    const std::string& callee = data.functions[call.site.function].name;
    if (callee == "add") {
      EXPECT_EQ(call.site.depth, 1U);
    } else if (callee == "vm.builtin.invoke_closure") {
      EXPECT_EQ(call.site.depth, 0U);
    }
  }
  EXPECT_EQ(countsOf(watched.watcher, data).at("add"), 1);
}

TEST(Observer, FailedCallsAreLeftOpenAndTheNextRunIsWhole) {
  Watched watched;
  watch("tvm027/closure", watched);
  const std::size_t calls = watched.watcher.calls.size();
  const std::vector<ffi::Any> wrong = {ffi::Any(1), ffi::Any(2)};
  EXPECT_FALSE(watched.open->invoke("main", wrong));
  EXPECT_EQ(watched.watcher.open(), 1U);
  EXPECT_EQ(watched.watcher.calls.size(), calls + 1);
  Watcher fresh;
  watched.open->setObserver(&fresh);
  EXPECT_EQ(runAndCompare(*watched.open.machine, "tvm027/closure"), "");
  EXPECT_EQ(fresh.calls.size(), calls);
  watched.open->setObserver(nullptr);
  EXPECT_EQ(runAndCompare(*watched.open.machine, "tvm027/closure"), "");
  EXPECT_EQ(fresh.calls.size(), calls);
}

}  // namespace

}  // namespace opscope::vm::test
