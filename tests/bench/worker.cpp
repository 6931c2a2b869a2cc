// SPDX-License-Identifier: Apache-2.0
// One side of a comparison as a program: loads an executable, then plays its scenario as told on standard
// input.
//   worker EXECUTABLE.so SCENARIO.json ARRAYS.npz THREADS
// Commands, one a line: "time N" plays N times and answers with N durations in ns; "from STEP" plays the
// steps before STEP once and leaves them out of later plays (answer: "ok"); "record on", "record off" switch
// the recorder (answer: "ok" or "none"); "records" answers with the number of calls recorded since the last
// "time".
#include <chrono>
#include <exception>
#include <iostream>
#include <string>

#include "tests/bench/bench_target.h"
#include "tests/bench/scenario_player.h"

namespace {

using opscope::bench::ScenarioPlayer;
using opscope::bench::Target;

void timePlays(ScenarioPlayer& player, Target& target, int count) {
  std::string line;
  for (int i = 0; i < count; ++i) {
    target.clearRecords();
    const auto begin = std::chrono::steady_clock::now();
    player.play();
    const auto end = std::chrono::steady_clock::now();
    line += (i == 0 ? "" : " ") + std::to_string((end - begin).count());
  }
  std::cout << line << std::endl;
}

void serve(ScenarioPlayer& player, Target& target) {
  std::string word;
  while (std::cin >> word) {
    if (word == "time") {
      int count = 0;
      std::cin >> count;
      timePlays(player, target, count);
    } else if (word == "record") {
      std::cin >> word;
      std::cout << (target.record(word == "on") ? "ok" : "none") << std::endl;
    } else if (word == "from") {
      std::size_t step = 0;
      std::cin >> step;
      player.repeatFrom(step);
      std::cout << "ok" << std::endl;
    } else if (word == "records") {
      std::cout << target.recordedCalls() << std::endl;
    } else {
      throw std::runtime_error("unknown command " + word);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::cerr << "usage: worker EXECUTABLE.so SCENARIO.json ARRAYS.npz THREADS\n";
    return 2;
  }
  try {
    const auto target = opscope::bench::makeTarget();
    target->load(argv[1], std::stoi(argv[4]));
    ScenarioPlayer player(*target, argv[2], argv[3]);
    std::cout << "ready" << std::endl;
    serve(player, *target);
  } catch (const std::exception& error) {
    std::cerr << "bench worker: " << error.what() << "\n";
    return 1;
  }
  return 0;
}
