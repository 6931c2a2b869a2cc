// SPDX-License-Identifier: Apache-2.0
// One side of the comparison of opening: loads executables and makes them ready, as told on standard input.
//   opener SMALL.so
// SMALL is opened once, so that what a process does once is not counted. Commands, one a line: "open N PATH"
// opens N times and answers with N durations in ns; "memory PATH" opens once, keeps it, and answers with how
// much resident memory the process gained, and how much it had gained at most meanwhile, in KiB.
#include <chrono>
#include <exception>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>

#include "tests/bench/bench_target.h"

namespace {

using opscope::bench::makeTarget;
using opscope::bench::Target;

std::unique_ptr<Target> open(const std::string& path) {
  auto target = makeTarget();
  target->load(path, 1);
  return target;
}

void timeOpening(int count, const std::string& path) {
  std::string line;
  for (int i = 0; i < count; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const auto target = open(path);
    const auto end = std::chrono::steady_clock::now();
    line += (i == 0 ? "" : " ") + std::to_string((end - begin).count());
  }
  std::cout << line << std::endl;
}

/// A field of the process's status in KiB.
long statusKib(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(field + ":", 0) == 0) {
      return std::stol(line.substr(field.size() + 1));
    }
  }
  throw std::runtime_error("no " + field + " in the process's status");
}

void tellMemory(const std::string& path, std::unique_ptr<Target>& kept) {
  std::ofstream("/proc/self/clear_refs") << "5";  // the peak starts from here
  const long before = statusKib("VmRSS");
  kept = open(path);
  std::cout << statusKib("VmRSS") - before << " " << statusKib("VmHWM") - before << std::endl;
}

void serve() {
  std::unique_ptr<Target> kept;
  std::string word;
  while (std::cin >> word) {
    int count = 0;
    std::string path;
    if (word == "open" && std::cin >> count >> path) {
      timeOpening(count, path);
    } else if (word == "memory" && std::cin >> path) {
      tellMemory(path, kept);
    } else {
      throw std::runtime_error("unknown command " + word);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: opener SMALL.so\n";
    return 2;
  }
  try {
    open(argv[1]);
    std::cout << "ready" << std::endl;
    serve();
  } catch (const std::exception& error) {
    std::cerr << "bench opener: " << error.what() << "\n";
    return 1;
  }
  return 0;
}
