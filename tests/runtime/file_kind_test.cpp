// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/file_kind.h"

#include <gtest/gtest.h>

#include <string>

namespace opscope::runtime {
namespace {

using namespace std::string_literals;

TEST(FileKind, KnowsWhatPeopleOpenByMistake) {
  EXPECT_EQ(recogniseFile("\xCF\xFA\xED\xFE\x07"s).description, "a macOS library (Mach-O)");
  EXPECT_EQ(recogniseFile("MZ\x90\0"s).description, "a Windows library (PE/COFF)");
  EXPECT_EQ(recogniseFile("!<arch>\nlib0.o/"s).description, "a static archive (ar)");
  EXPECT_EQ(recogniseFile("PK\x03\x04..."s).description, "a zip archive");
  EXPECT_EQ(recogniseFile("\x1F\x8B\x08"s).description, "compressed with gzip");
  EXPECT_EQ(recogniseFile("\x93NUMPY\x01"s).description, "an array file (npy)");
  std::string tar(600, '\0');
  tar.replace(257, 5, "ustar");
  EXPECT_EQ(recogniseFile(tar).description, "a tar archive");
  EXPECT_EQ(recogniseFile(" \n[1, 2]"s).description, "text that looks like JSON");
  EXPECT_EQ(recogniseFile("import tvm\n"s).description, "a text file");
  EXPECT_EQ(recogniseFile(""s).description, "empty");
  EXPECT_EQ(recogniseFile("\x01\x02\x03"s).description, "of an unknown kind");
}

}  // namespace
}  // namespace opscope::runtime
