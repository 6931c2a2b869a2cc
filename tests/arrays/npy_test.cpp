// SPDX-License-Identifier: Apache-2.0
#include "engine/arrays/npy.h"

#include <unistd.h>

#include "tests/arrays/fixtures.h"

namespace opscope::arrays {
namespace {

/// A version 1.0 file with this header text and this many zero bytes after it.
std::string npyFile(const std::string& header, std::size_t dataBytes = 0) {
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  return file + header + std::string(dataBytes, '\0');
}

std::string errorOf(const std::string& file) {
  const auto result = parseNpy(file, "in.npy");
  return result ? "no error" : result.error().message + " | " + result.error().detail;
}

TEST(Npy, ReadsWhatNumpyWrote) {
  std::size_t count = 0;
  for (const Expected& expected : expectedArrays()) {
    if (expected.key != "-") {
      continue;
    }
    SCOPED_TRACE(expected.file);
    const auto array = readNpy(fixture(expected.file));
    ASSERT_TRUE(array) << array.error().message << array.error().detail;
    expectSame(*array, expected);
    ++count;
  }
  EXPECT_EQ(count, 27u);
}

TEST(Npy, WritesWhatNumpyWrites) {
  TemporaryFolder folder;
  for (const char* name : {"bool", "int8", "int64", "uint16", "float16", "float32", "float64", "bfloat16",
                           "scalar", "empty", "one"}) {
    SCOPED_TRACE(name);
    const std::string original = contentOf(fixture(std::string(name) + ".npy"));
    const auto array = parseNpy(original, name);
    ASSERT_TRUE(array);
    ASSERT_TRUE(writeNpy(folder / "out.npy", *array));
    EXPECT_EQ(contentOf(folder / "out.npy"), original);
  }
}

TEST(Npy, RefusesElementTypesInWords) {
  const std::pair<const char*, const char*> kCases[] = {
      {"complex64", "the array holds complex numbers (\"<c8\")."},
      {"structured", "the array holds structured elements (several fields each)."},
      {"text", "the array holds text (\"<U2\")."},
      {"times", "the array holds times (\"<M8[s]\")."},
      {"longdouble", "the array holds elements of an unknown type (\"<f16\")."},
      {"float8", "the array holds raw bytes (\"<V1\")."},
      {"objects", "the array holds Python objects (pickled), which are never loaded (\"|O\")."}};
  for (const auto& [name, words] : kCases) {
    const std::string file = fixture(std::string("refused_") + name + ".npy").string();
    const auto array = readNpy(file);
    ASSERT_FALSE(array) << name;
    EXPECT_EQ(array.error().code, base::ErrorCode::Unsupported);
    EXPECT_EQ(array.error().message, file + ": " + words);
    EXPECT_FALSE(array.error().hint.empty());
  }
}

TEST(Npy, MalformedFilesNamePlaceFoundAndExpected) {
  const std::string bad = "in.npy: not a valid .npy array: ";
  EXPECT_EQ(errorOf(""), bad + "it does not begin as one. | Needs \"\\x93NUMPY\". The file has no bytes.");
  EXPECT_EQ(errorOf("PK\x03\x04zip"),
            bad + "it does not begin as one. | Needs \"\\x93NUMPY\". The file has \"PK\\x03\\x04zip\".");
  EXPECT_EQ(errorOf("\x93NUMPY\x01"), bad + "it ends within the header. | It has 7 bytes.");
  EXPECT_EQ(errorOf(std::string("\x93NUMPY\x04\x00\x10\x00", 10)),
            "in.npy: .npy version 4.0 is not known. | Needs version 1.0, 2.0 or 3.0.");
  EXPECT_EQ(errorOf(std::string("\x93NUMPY\x01\x00\xff\xff{", 11)),
            bad + "it ends within the header. | The header has 65545 bytes. The file has 11.");
  EXPECT_EQ(
      errorOf(npyFile("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", 23)),
      bad + "it ends within the array. | float32 [2, 3] needs 24 bytes. The file has 23 after the header.");
  EXPECT_EQ(
      errorOf(npyFile("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", 25)),
      bad +
          "bytes follow after the array. | float32 [2, 3] needs 24 bytes. The file has 25 after the header.");
  EXPECT_EQ(errorOf(npyFile("{'descr': '<f4', 'fortran_order': False}")),
            bad + "the header is not complete. | Needs the keys descr, fortran_order and shape, each once.");
  EXPECT_EQ(errorOf(npyFile("{'descr': '<f4', 'descr': '<f4'}")),
            bad +
                "the header has the key \"descr\" twice. | Needs the keys descr, fortran_order and shape, "
                "each once.");
  EXPECT_EQ(errorOf(npyFile("{'descr': '<f4', 'fortran_order': 1, 'shape': ()}")),
            bad + "the header is wrong at byte 44. | Needs True or False. The file has \"1, 'shape': ()}\".");
  EXPECT_EQ(errorOf(npyFile("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}")),
            bad +
                "the header is wrong at byte 61. | Needs a size from 0 to 9223372036854775807. The file has "
                "\"-1,)}\".");
  EXPECT_EQ(errorOf(npyFile("[1]")),
            bad + "the header is wrong at byte 10. | Needs \"{\". The file has \"[1]\".");
}

TEST(Npy, HostileSizesTakeNoMemory) {
  EXPECT_NE(errorOf(npyFile("{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775807, "
                            "9223372036854775807), }"))
                .find("needs more than"),
            std::string::npos);
  EXPECT_NE(errorOf(npyFile("{'descr': '<f8', 'fortran_order': False, 'shape': (100000000000,), }"))
                .find("needs 800000000000 bytes. The file has 0"),
            std::string::npos);
  EXPECT_NE(errorOf(npyFile("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }"))
                .find("Needs a size from 0"),
            std::string::npos);
  std::string many = "{'descr': '<f8', 'fortran_order': False, 'shape': (";
  for (int i = 0; i < 65; ++i) {
    many += "0, ";
  }
  EXPECT_NE(errorOf(npyFile(many + "), }")).find("too many dimensions"), std::string::npos);
  // Version 2.0 with a header of 4 GiB.
  EXPECT_NE(errorOf(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff{", 13)).find("The header has 4294967307"),
            std::string::npos);
}

TEST(Npy, AcceptsOtherSpellingsOfTheHeader) {
  for (const char* header : {"{\"descr\":\"<f4\",\"fortran_order\":False,\"shape\":(2,)}",
                             "{'shape': (2L,), 'fortran_order': True, 'descr': '=f4'}   \n",
                             "{ 'shape' : ( 2 , ) , 'descr' : 'f4' , 'fortran_order' : False , }"}) {
    const auto array = parseNpy(npyFile(header, 8), "in.npy");
    ASSERT_TRUE(array) << header << array.error().message << array.error().detail;
    EXPECT_EQ(describeArray(*array), "float32 [2]");
  }
}

TEST(Npy, BoolsBecomeZeroAndOne) {
  std::string file = npyFile("{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }");
  const auto array = parseNpy(file + std::string("\x00\x02\xff", 3), "in.npy");
  ASSERT_TRUE(array);
  EXPECT_EQ(hexOf(*array), "000101");
}

TEST(Npy, FilesThatCannotBeReadOrWritten) {
  TemporaryFolder folder;
  EXPECT_EQ(readNpy(folder / "none.npy").error().code, base::ErrorCode::NotFound);
  EXPECT_FALSE(readNpy(folder.path()));
  const Array array = *readNpy(fixture("one.npy"));
  EXPECT_FALSE(writeNpy(folder / "no/such/folder.npy", array));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace opscope::arrays
