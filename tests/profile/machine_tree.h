// SPDX-License-Identifier: Apache-2.0
// A folder that looks like /proc and /sys of a machine that a test makes up. Removed at the end.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace opscope::profile::testing {

class MachineTree {
 public:
  MachineTree() {
    std::string pattern = (std::filesystem::temp_directory_path() / "machine.XXXXXX").string();
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    m_root = pattern;
  }
  ~MachineTree() {
    std::error_code ignored;
    std::filesystem::remove_all(m_root, ignored);
  }
  MachineTree(const MachineTree&) = delete;
  MachineTree& operator=(const MachineTree&) = delete;

  const std::filesystem::path& root() const { return m_root; }
  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((m_root / path).parent_path());
    std::ofstream(m_root / path) << text;
  }

 private:
  std::filesystem::path m_root;
};

}  // namespace opscope::profile::testing
