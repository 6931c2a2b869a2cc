// SPDX-License-Identifier: Apache-2.0
#include "tests/vm/fixture_files.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace opscope::vm::test {

std::string fixturePath(std::string_view name) {
  return std::string(OPSCOPE_TEST_DATA) + "/vm/" + std::string(name) + ".so";
}

std::vector<std::string> allFixtures() {
  std::vector<std::string> names;
  for (const std::string folder : {"tvm025", "tvm027"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(std::string(OPSCOPE_TEST_DATA) + "/vm/" + folder)) {
      if (entry.path().extension() == ".so") {
        names.push_back(folder + "/" + entry.path().stem().string());
      }
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string fileBytes(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::string executableBytes(std::string_view fixture) {
  const std::string file = fileBytes(fixturePath(fixture));
  const std::string kind = std::string("\x12\0\0\0\0\0\0\0", 8) + "relax.VMExecutable";
  const std::size_t at = file.find(kind);
  std::uint64_t size = 0;
  if (at == std::string::npos || file.size() - at < kind.size() + sizeof(size)) {
    return {};
  }
  std::memcpy(&size, file.data() + at + kind.size(), sizeof(size));
  return file.substr(at + kind.size() + sizeof(size), size);
}

}  // namespace opscope::vm::test
