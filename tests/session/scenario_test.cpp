// SPDX-License-Identifier: Apache-2.0
#include "engine/session/scenario.h"
#include "engine/session/scenario_info.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/arrays/fixtures.h"

namespace opscope::session {
namespace {

constexpr const char* kAll = R"({"note": "anything", "steps": [
  {"func": "create", "args": [{"shape": [1, -2]}, {"int": -3}, {"float": 2}, {"bool": true}, {"string": ""}]},
  {"global": "vm.builtin.x", "args": [{"ret": 0}, {"none": true}]},
  {"func": "run", "args": [{"npz": "x"}, {"tuple": ["in/0", {"npz": "scalar"}, {"tuple": [{"ret": 1, "index": 2}]}]}],
   "out": "out/run", "only": 0},
  {"func": "run", "args": [{"ret": 2, "index": [0, 1], "reshape": [1, 7]}, {"npz": "x"}]}
]})";

/// Message and detail of the error.
std::string problemOf(const std::string& json) {
  const auto scenario = parseScenario(json, "s.json");
  if (scenario) {
    return "no error";
  }
  EXPECT_EQ(scenario.error().code, base::ErrorCode::Format);
  return scenario.error().message + " | " + scenario.error().detail;
}

/// The same for one argument of the second step.
std::string argumentProblem(const std::string& argument) {
  const std::string text =
      problemOf(R"({"steps": [{"func": "f"}, {"func": "g", "args": [)" + argument + "]}]}");
  const std::string start = "s.json: the scenario is wrong at ";
  return text.starts_with(start) ? text.substr(start.size()) : text;
}

TEST(Scenario, ReadsEveryKindOfArgument) {
  const auto scenario = parseScenario(kAll, "s.json");
  ASSERT_TRUE(scenario) << scenario.error().message << scenario.error().detail;
  ASSERT_EQ(scenario->steps.size(), 4u);
  const auto& first = scenario->steps[0];
  EXPECT_EQ(first.function, "create");
  EXPECT_EQ(std::get<ShapeValue>(first.arguments[0].value).values, (std::vector<std::int64_t>{1, -2}));
  EXPECT_EQ(std::get<std::int64_t>(first.arguments[1].value), -3);
  EXPECT_EQ(std::get<double>(first.arguments[2].value), 2.0);
  EXPECT_TRUE(std::get<bool>(first.arguments[3].value));
  EXPECT_EQ(std::get<std::string>(first.arguments[4].value), "");
  EXPECT_TRUE(scenario->steps[1].isGlobal);
  EXPECT_TRUE(std::holds_alternative<NoneValue>(scenario->steps[1].arguments[1].value));
  EXPECT_EQ(scenario->steps[2].out, "out/run");
  EXPECT_EQ(scenario->steps[2].only, 0);
  const auto& result = std::get<StepResult>(scenario->steps[3].arguments[0].value);
  EXPECT_EQ(result.step, 2u);
  EXPECT_EQ(result.index, (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(result.shape, (std::vector<std::int64_t>{1, 7}));
  EXPECT_TRUE(result.reshaped);
}

TEST(Scenario, ReadsTheFixtures) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(OPSCOPE_TEST_DATA)) {
    if (!entry.path().filename().string().ends_with("scenario.json")) {
      continue;
    }
    const auto scenario = readScenario(entry.path());
    EXPECT_TRUE(scenario) << entry.path() << (scenario ? "" : scenario.error().detail);
    ++count;
  }
  EXPECT_GT(count, 20u);
}

TEST(Scenario, MistakesAreToldWithTheirPlace) {
  EXPECT_EQ(problemOf("[]"),
            "s.json: the scenario is wrong at the top. | Needs an object with \"steps\". The file has [].");
  EXPECT_EQ(problemOf("{}"),
            "s.json: the scenario is wrong at the top. | Needs the key \"steps\", a list of calls.");
  EXPECT_EQ(
      problemOf(R"({"steps": []})"),
      "s.json: the scenario is wrong at steps. | Needs a list with at least one call. The file has [].");
  EXPECT_EQ(problemOf(R"({"steps": [3]})"),
            "s.json: the scenario is wrong at steps[0]. | Needs an object with \"func\" or \"global\". The "
            "file has 3.");
  EXPECT_EQ(problemOf(R"({"steps": [{"fnc": "f"}]})"),
            "s.json: the scenario is wrong at steps[0]. | The key \"fnc\" is not known. Known are func, "
            "global, args, "
            "only and out.");
  EXPECT_EQ(parseScenario(R"({"steps": [{"fnc": "f"}]})", "s").error().hint, "Did you mean \"func\"?");
  EXPECT_EQ(problemOf(R"({"steps": [{"args": []}]})"),
            "s.json: the scenario is wrong at steps[0]. | Needs \"func\" or \"global\", the name of what is "
            "called.");
  EXPECT_EQ(
      problemOf(R"({"steps": [{"func": "a", "global": "b"}]})"),
      "s.json: the scenario is wrong at steps[0]. | It has \"func\" and \"global\". Needs one of them.");
  EXPECT_EQ(
      problemOf(R"({"steps": [{"func": ""}]})"),
      "s.json: the scenario is wrong at steps[0].func. | Needs the name of a function. The file has \"\".");
  EXPECT_EQ(problemOf(R"({"steps": [{"func": "f", "only": 1}]})"),
            "s.json: the scenario is wrong at steps[0]. | \"only\" chooses what \"out\" saves, but there is "
            "no \"out\".");
}

TEST(Scenario, WrongArguments) {
  EXPECT_EQ(argumentProblem(R"({"nzp": "x"})"),
            "steps[1].args[0]. | The key \"nzp\" is not known. Known are npz, shape, int, float, bool, "
            "string, none, "
            "tuple and ret.");
  EXPECT_EQ(argumentProblem(R"({"int": 1, "float": 2})"),
            "steps[1].args[0]. | Needs one kind of argument. The file has {\"float\":2,\"int\":1}.");
  EXPECT_EQ(argumentProblem("{}").substr(0, 55), "steps[1].args[0]. | Needs an object with one of npz, sh");
  EXPECT_EQ(argumentProblem(R"({"int": 1.5})"),
            "steps[1].args[0].int. | Needs a whole number. The file has 1.5.");
  EXPECT_EQ(argumentProblem(R"({"int": 9223372036854775808})"),
            "steps[1].args[0].int. | Needs a whole number. The file has 9223372036854775808.");
  EXPECT_EQ(argumentProblem(R"({"shape": [1, "2"]})"),
            "steps[1].args[0].shape[1]. | Needs a whole number. The file has \"2\".");
  EXPECT_EQ(argumentProblem(R"({"bool": 1})"),
            "steps[1].args[0].bool. | Needs true or false. The file has 1.");
  EXPECT_EQ(argumentProblem(R"({"tuple": ["x", {"tuple": [3]}]})").substr(0, 44),
            "steps[1].args[0].tuple[1].tuple[0]. | Needs ");
  EXPECT_EQ(argumentProblem(R"({"ret": 1})"),
            "steps[1].args[0].ret. | Needs an earlier step, 0 to 0. The file has 1.");
  EXPECT_EQ(argumentProblem(R"({"ret": -1})"),
            "steps[1].args[0].ret. | Needs a whole number from 0 on. The file has -1.");
  EXPECT_EQ(argumentProblem(R"({"ret": 0, "shape": [1]})"),
            "steps[1].args[0]. | The key \"shape\" is not known. Known are ret, index and reshape.");
  EXPECT_EQ(argumentProblem(R"({"ret": 0, "reshape": [-1]})"),
            "steps[1].args[0].reshape[0]. | Needs a whole number from 0 on. The file has -1.");
  EXPECT_EQ(
      problemOf(R"({"steps": [{"func": "f", "args": [{"ret": 0}]}]})"),
      "s.json: the scenario is wrong at steps[0].args[0].ret. | The first step has no earlier step to take a "
      "result from.");
}

TEST(Scenario, TextThatIsNoJson) {
  EXPECT_EQ(problemOf("{\n \"steps\": [,]}"),
            "s.json: not valid JSON. | The first mistake is at line 2, column 12.");
  EXPECT_EQ(problemOf(""), "s.json: not valid JSON. | The file is empty.");
  EXPECT_EQ(problemOf(std::string(100000, '[')),
            "s.json: not valid JSON. | Its brackets are nested too deep.");
  std::string tuples;
  for (int i = 0; i < 60; ++i) {
    tuples += R"({"tuple": [)";
  }
  for (int i = 0; i < 60; ++i) {
    tuples += "]}";
  }
  EXPECT_NE(argumentProblem(tuples).find("more than 32 deep"), std::string::npos);
  EXPECT_EQ(readScenario("/none/s.json").error().code, base::ErrorCode::NotFound);
}

TEST(Scenario, MutatedTextsGiveWords) {
  std::mt19937 random(3);
  const std::string seed = kAll;
  const std::string letters = "{}[],:\"0-9.etrufnalsi\\\xff\x01";
  for (int round = 0; round < 5000; ++round) {
    std::string text = seed;
    for (unsigned changes = 1 + random() % 4; changes > 0; --changes) {
      const std::size_t place = random() % text.size();
      if (random() % 3 == 0) {
        text.erase(place, 1 + random() % 8);
      } else {
        text[place] = letters[random() % letters.size()];
      }
    }
    const auto scenario = parseScenario(text, "s.json");
    ASSERT_TRUE(scenario || !scenario.error().detail.empty());
  }
}

TEST(ResolveScenario, ReadsArraysOnceAndNamesSteps) {
  const auto scenario = parseScenario(kAll, "s.json");
  const auto steps = resolveScenario(*scenario, arrays::fixture("stored.npz"));
  ASSERT_TRUE(steps) << steps.error().message << steps.error().detail;
  EXPECT_EQ((*steps)[0].name, "create");
  EXPECT_EQ((*steps)[2].name, "run #1");
  EXPECT_EQ((*steps)[3].name, "run #2");
  const auto& first = std::get<arrays::Array>((*steps)[2].arguments[0].value);
  const auto& second = std::get<arrays::Array>((*steps)[3].arguments[1].value);
  EXPECT_EQ(first.data(), second.data());
  EXPECT_EQ(describeInputValue((*steps)[2].arguments[1]), "(int64 [3, 4], float32 [], (result of steps[1]))");
}

TEST(ResolveScenario, MissingFilesAndKeys) {
  const auto scenario = parseScenario(kAll, "s.json");
  const auto noFile = resolveScenario(*scenario, {});
  ASSERT_FALSE(noFile);
  EXPECT_EQ(noFile.error().message, "s.json: the scenario needs a file of arrays.");
  EXPECT_EQ(noFile.error().detail, "steps[2].args[0] takes the array \"x\".");
  const auto other = parseScenario(
      R"({"steps": [{"func": "f", "args": [{"npz": "in/1"}, {"tuple": ["x", "param/0"]}]}]})", "s.json");
  const auto missing = resolveScenario(*other, arrays::fixture("stored.npz"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, base::ErrorCode::NotFound);
  EXPECT_EQ(missing.error().message, "s.json: " + arrays::fixture("stored.npz").string() +
                                         " lacks \"in/1\" (steps[0].args[0]) and \"param/0\" "
                                         "(steps[0].args[1].tuple[1]).");
  EXPECT_EQ(missing.error().hint, "Did you mean \"in/0\"?");
  EXPECT_FALSE(resolveScenario(*scenario, "/none.npz"));
  const auto plain = parseScenario(R"({"steps": [{"func": "f", "args": [{"int": 1}]}]})", "s.json");
  EXPECT_TRUE(resolveScenario(*plain, {}));
}

TEST(DescribeArgument, SaysItInShortWords) {
  const auto scenario = parseScenario(R"({"steps": [{"func": "f"}, {"func": "g", "args": [
    {"npz": "in/0"}, {"shape": [1, 7]}, {"int": 3}, {"float": 0.5}, {"bool": true}, {"string": "a"},
    {"none": true}, {"tuple": ["x", {"int": 1}]}, {"ret": 0},
    {"ret": 0, "index": [1, 2], "reshape": [2]}]}]})",
                                      "s.json");
  ASSERT_TRUE(scenario);
  std::vector<std::string> words;
  for (const ScenarioArgument& argument : scenario->steps[1].arguments) {
    words.push_back(describeArgument(argument));
  }
  EXPECT_EQ(words, (std::vector<std::string>{"in/0", "shape [1, 7]", "int 3", "float 0.5", "true", "\"a\"",
                                             "none", "tuple of 2", "ret 0", "ret 0.1.2 as [2]"}));
}

TEST(LooksLikeScenario, ByTheKeyAtItsTop) {
  EXPECT_TRUE(looksLikeScenario(R"({"note": "steps", "steps" : [{"func": "f",}]})"));
  EXPECT_FALSE(looksLikeScenario(R"({"calls": [{"steps": 1}], "note": "\"steps\": 1"})"));
  EXPECT_FALSE(looksLikeScenario(R"(["steps"])"));
  EXPECT_FALSE(looksLikeScenario("{\"steps"));
  EXPECT_FALSE(looksLikeScenario("{\"steps\\"));
}

}  // namespace
}  // namespace opscope::session
