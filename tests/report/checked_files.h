// SPDX-License-Identifier: Apache-2.0
// Files of one test in a folder of its own, which a Python program of tests/report looks through.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "engine/base/atomic_file.h"

namespace opscope::report {

class CheckedFiles : public testing::Test {
 protected:
  /// The program: "trace_check.py".
  explicit CheckedFiles(std::string checker) : m_checker(std::move(checker)) {}

  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "opscope-files-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    m_folder = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(m_folder); }

  void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(base::writeFileAtomically(m_folder / name, text));
  }

  /// Whether the checker finds nothing wrong with any of the files.
  bool valid() const {
    const std::string command = "cd '" + m_folder.string() +
                                "' && python3 -B '" OPSCOPE_SOURCE_DIR "/tests/report/" + m_checker + "' *";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  std::filesystem::path m_folder;

 private:
  std::string m_checker;
};

}  // namespace opscope::report
