// SPDX-License-Identifier: Apache-2.0
// A scenario held against the executable's signatures before anything runs: from headers of its arrays and
// from what earlier steps are known to return.
#include "engine/session/scenario_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "tests/arrays/fixtures.h"
#include "tests/session/signatures.h"

namespace opscope::session {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ScenarioInfoTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "opscope_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    m_folder = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(m_folder); }

  static FunctionInfo function(const std::string& name, std::vector<vm::Parameter> parameters,
                               std::vector<std::string> free = {}) {
    FunctionInfo info;
    info.name = name;
    info.signature = signatureOf(std::move(parameters), std::move(free));
    info.signature.function = name;
    return info;
  }
  /// embed(x float32 [2, 3, 4]) gives (float32 [6], int64 [n]); head(h float32 [6], ids int64 [n, 4]).
  static ExecutableInfo executable() {
    ExecutableInfo info;
    info.fileName = "net.so";
    info.functions = {
        function("embed", {tensor("x", "float32", {"2", "3", "4"})}),
        function("head", {tensor("h", "float32", {"6"}), tensor("ids", "int64", {"n", "4"})}, {"n"})};
    vm::Signature& embed = info.functions[0].signature;
    embed.resultKnown = true;
    embed.result =
        ofKind("", vm::ParameterKind::Tuple, {tensor("", "float32", {"6"}), tensor("", "int64", {"n"})});
    return info;
  }
  session::ScenarioInfo inspect(const std::string& steps, const char* arrays = "stored.npz") const {
    const std::filesystem::path file = m_folder / "s.json";
    arrays::writeContent(file, R"({"steps": [)" + steps + "]}");
    return inspectScenario(file, arrays == nullptr ? std::filesystem::path() : arrays::fixture(arrays),
                           executable());
  }
  static std::string words(const session::ScenarioInfo& info) {
    return info.problem ? info.problem->message + "\n" + info.problem->detail : std::string("none");
  }

  std::filesystem::path m_folder;
};

constexpr const char* kEmbed = R"({"func": "embed", "args": [{"npz": "x"}]})";

TEST_F(ScenarioInfoTest, WhatFitsHasNoProblem) {
  const auto info =
      inspect(std::string(kEmbed) +
              R"(, {"func": "head", "args": [{"ret": 0, "index": 0}, {"npz": "in/0"}], "out": "y"})");
  EXPECT_EQ(words(info), "none");
  EXPECT_FALSE(info.arraysProblem);
  ASSERT_EQ(info.steps.size(), 2u);
  EXPECT_EQ(info.steps[1].function, "head");
  EXPECT_EQ(info.steps[1].out, "y");
  EXPECT_EQ(info.steps[1].problem, "");
  EXPECT_EQ(info.arrayCount, 2u);
  EXPECT_EQ(info.hash.size(), 32u);
}

TEST_F(ScenarioInfoTest, HeadersTellTypesAndShapes) {
  const auto info = inspect(R"({"func": "embed", "args": [{"npz": "in/0"}]})");
  ASSERT_TRUE(info.problem);
  EXPECT_EQ(info.problem->code, base::ErrorCode::InvalidArgument);
  EXPECT_EQ(info.problem->message, "s.json does not fit this executable.");
  for (const char* part : {"steps[0]", "x", "float32", "[2, 3, 4]", "int64", "[3, 4]", "in/0"}) {
    EXPECT_THAT(info.problem->detail, HasSubstr(part));
  }
}

TEST_F(ScenarioInfoTest, AllMisfitsOfAStepAreTold) {
  const auto info = inspect(R"({"func": "head", "args": [{"npz": "x"}, {"npz": "scalar"}]})");
  ASSERT_TRUE(info.problem);
  EXPECT_THAT(info.problem->detail, HasSubstr("h"));
  EXPECT_THAT(info.problem->detail, HasSubstr("The array \"x\""));
  EXPECT_THAT(info.problem->detail, HasSubstr("ids"));
  EXPECT_THAT(info.problem->detail, HasSubstr("The array \"scalar\""));
}

TEST_F(ScenarioInfoTest, MisfitsOfManyStepsAreCounted) {
  std::string steps = R"({"func": "embed", "args": [{"npz": "in/0"}]})";
  for (int i = 0; i < 6; ++i) {
    steps += R"(, {"func": "embed", "args": [{"npz": "in/0"}]})";
  }
  const auto info = inspect(steps);
  ASSERT_TRUE(info.problem);
  EXPECT_THAT(info.problem->detail, HasSubstr("steps[3]"));
  EXPECT_THAT(info.problem->detail, Not(HasSubstr("steps[4]")));
  EXPECT_THAT(info.problem->detail, HasSubstr("and 3 more"));
}

TEST_F(ScenarioInfoTest, ResultsOfFixedShapeAreChecked) {
  const std::string embed = std::string(kEmbed) + ", ";
  EXPECT_EQ(
      words(inspect(
          embed + R"({"func": "head", "args": [{"ret": 0, "index": 0, "reshape": [6]}, {"npz": "in/0"}]})")),
      "none");
  const std::string wrong = words(inspect(
      embed + R"({"func": "head", "args": [{"ret": 0, "index": 0, "reshape": [2, 3]}, {"npz": "in/0"}]})"));
  EXPECT_THAT(wrong, HasSubstr("The result of steps[0]"));
  EXPECT_THAT(wrong, HasSubstr("[2, 3]"));
  EXPECT_THAT(words(inspect(embed + R"({"func": "embed", "args": [{"ret": 0, "index": 0}]})")),
              HasSubstr("The result of steps[0]"));
  // What is not known before the run is left to it: a free size, the results of a result without a signature.
  EXPECT_EQ(words(inspect(embed + R"({"func": "head", "args": [{"ret": 0, "index": 1}, {"npz": "in/0"}]})")),
            "none");
  EXPECT_EQ(words(inspect(embed + R"({"func": "head", "args": [{"ret": 0, "index": 7}, {"npz": "in/0"}]})")),
            "none");
  EXPECT_EQ(words(inspect(R"({"global": "f", "args": []}, {"func": "embed", "args": [{"ret": 0}]})")),
            "none");
}

TEST_F(ScenarioInfoTest, FunctionsAndNumbersOfArguments) {
  const std::string unknown = words(inspect(R"({"func": "embd", "args": [{"npz": "x"}]})"));
  EXPECT_THAT(unknown, HasSubstr("steps[0]: The executable has no function embd. Did you mean embed?"));
  const std::string many = words(inspect(R"({"func": "embed", "args": [{"npz": "x"}, {"npz": "x"}]})"));
  EXPECT_THAT(many, HasSubstr("embed takes 1 input. The step gives 2."));
}

TEST_F(ScenarioInfoTest, ArraysThatAreMissingAreTheirOwnProblem) {
  const auto without = inspect(kEmbed, nullptr);
  ASSERT_TRUE(without.arraysProblem);
  EXPECT_THAT(without.arraysProblem->message, HasSubstr("needs a file of arrays"));
  const auto lacks = inspect(R"({"func": "embed", "args": [{"npz": "y"}]})");
  ASSERT_TRUE(lacks.arraysProblem);
  EXPECT_EQ(lacks.arraysProblem->code, base::ErrorCode::NotFound);
  EXPECT_EQ(lacks.arraysProblem->message, "s.json: stored.npz lacks \"y\" (steps[0].args[0]).");
}

TEST_F(ScenarioInfoTest, AFileThatCannotBeReadSaysWhy) {
  const auto info = inspect("3");
  ASSERT_TRUE(info.problem);
  EXPECT_EQ(info.problem->message, "s.json: the scenario is wrong at steps[0].");
  EXPECT_TRUE(info.steps.empty());
}

}  // namespace
}  // namespace opscope::session
