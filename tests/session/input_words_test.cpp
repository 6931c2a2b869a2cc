// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdio>

#include "engine/session/input_spec.h"

namespace opscope::session {
namespace {

TEST(InputWords, PlanBecomesWords) {
  CallPlan plan;
  plan.function = "main";
  plan.inputs.dimensions = {{"n", 8}};
  plan.inputs.values = {{"x", "random:0"}, {"y", "@my file.npz:in/0"}};
  plan.inputs.arraysFile = "in.npz";
  EXPECT_EQ(commandLineWords(plan),
            (std::vector<std::string>{"-f", "main", "--dim", "n=8", "--inputs", "in.npz", "--input",
                                      "x=random:0", "--input", "y=@my file.npz:in/0"}));
  plan.scenarioFile = "scenario.json";
  EXPECT_EQ(commandLineWords(plan),
            (std::vector<std::string>{"--scenario", "scenario.json", "--inputs", "in.npz"}));
  EXPECT_TRUE(commandLineWords(CallPlan{}).empty());
}

TEST(InputWords, TheShellReadsThemBack) {
  const std::vector<std::string> words = {"plain=random:0", "two words", "it's", "$HOME", "", "a\"b", "ü*?"};
  EXPECT_EQ(shellCommand({"--dim", "n=8"}), "--dim n=8");
  const std::string command = "printf '%s|' " + shellCommand(words);
  FILE* pipe = ::popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string output(4096, '\0');
  output.resize(std::fread(output.data(), 1, output.size(), pipe));
  ::pclose(pipe);
  EXPECT_EQ(output, "plain=random:0|two words|it's|$HOME||a\"b|ü*?|");
}

}  // namespace
}  // namespace opscope::session
