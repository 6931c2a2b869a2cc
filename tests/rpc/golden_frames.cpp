// SPDX-License-Identifier: Apache-2.0
#include "tests/rpc/golden_frames.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "engine/rpc/wire_numbers.h"

namespace opscope::rpc::test {

namespace {

/// The digits of a recorded line, whose groups mean nothing.
std::string bytesOf(std::istream& groups) {
  std::string digits;
  for (std::string group; groups >> group;) {
    digits += group;
  }
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

template <class ParseLine>
std::vector<GoldenFrame> framesOf(const std::string& name, const ParseLine& parse) {
  std::ifstream file(std::string(OPSCOPE_TEST_DATA) + "/rpc/" + name);
  std::vector<GoldenFrame> frames;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    GoldenFrame frame{{}, name + ":" + std::to_string(++number)};
    if (line.find("...") == std::string::npos && parse(line, frame.body)) {
      frames.push_back(std::move(frame));
    }
  }
  EXPECT_FALSE(frames.empty()) << name;
  return frames;
}

}  // namespace

std::vector<GoldenFrame> framesOfTvmsClient() {
  // "  < CODE HEX": at most 76 bytes of the payload were written down.
  return framesOf("golden_tvm_client.txt", [](const std::string& line, std::string& body) {
    std::istringstream words(line);
    std::string arrow;
    std::int32_t code = 0;
    if (!(words >> arrow >> code) || arrow != "<") {
      return false;
    }
    appendNumber(body, code);
    body += bytesOf(words);
    return body.size() < 80;
  });
}

std::vector<GoldenFrame> framesOfWalk() {
  return framesOf("golden_raw_vs_27.txt", [](const std::string& line, std::string& body) {
    std::istringstream words(line);
    std::string arrow;
    std::string length;
    if (!(words >> arrow >> length) || (arrow != "<" && arrow != ">")) {
      return false;
    }
    body = bytesOf(words);
    return length == "len=" + std::to_string(body.size());
  });
}

}  // namespace opscope::rpc::test
