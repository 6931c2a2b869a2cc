// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/executable_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "engine/vm/executable_decoder.h"
#include "engine/vm/listing.h"
#include "tests/vm/executable_writer.h"
#include "tests/vm/fixture_files.h"

namespace opscope::vm {

namespace {

using test::ExecutableWriter;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

base::Error errorOf(std::string bytes) {
  const auto result = parseExecutableFile(std::make_shared<const std::string>(std::move(bytes)), "model.so");
  EXPECT_FALSE(result);
  return result ? base::Error{} : result.error();
}

std::vector<std::string> names(const std::vector<KernelInfo>& kernels) {
  std::vector<std::string> list;
  for (const KernelInfo& kernel : kernels) {
    list.push_back(kernel.name);
  }
  return list;
}

}  // namespace

TEST(ExecutableFile, TellsWhatALibraryHolds) {
  const auto file = readExecutableFile(test::fixturePath("tvm027/ifelse"));
  ASSERT_TRUE(file) << base::formatError(file.error());
  EXPECT_EQ(file->architecture, "x86-64");
  EXPECT_EQ(file->tvmVersion, "0.25 to 0.27");
  EXPECT_THAT(file->moduleKinds, ElementsAre("relax.VMExecutable", "_lib"));
  EXPECT_THAT(names(file->kernels), ElementsAre("add", "relu", "multiply"));
  EXPECT_THAT(file->kernels[0].signature, HasSubstr("add(x: Tensor([T.int64(8)], float32)"));
  EXPECT_GT(file->kernels[0].size, 0U);
  EXPECT_THAT(file->undefinedSymbols, ElementsAre("TVMFFIErrorSetRaisedFromCStrParts"));
  EXPECT_EQ(file->content->view().size(), std::filesystem::file_size(file->path));
}

TEST(ExecutableFile, ListsKernelsOfCompiledFunctionsBySymbol) {
  const auto file = readExecutableFile(test::fixturePath("tvm027/mlp_compiled"));
  ASSERT_TRUE(file) << base::formatError(file.error());
  EXPECT_EQ(file->tvmVersion, "0.26 or 0.27");
  EXPECT_THAT(names(file->kernels), ::testing::UnorderedElementsAre("add", "add1", "matmul", "matmul1",
                                                                    "relu", "transpose", "transpose1"));
  EXPECT_THAT(file->undefinedSymbols,
              ElementsAre("TVMBackendAnyListMoveFromPackedReturn", "TVMBackendAnyListSetPackedArg",
                          "TVMFFIErrorSetRaisedFromCStrParts"));
}

TEST(ExecutableFile, GuessesTheOlderVersion) {
  const auto file = readExecutableFile(test::fixturePath("tvm025/mlp_compiled"));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->tvmVersion, "0.25");
}

TEST(ExecutableFile, ReadsLibrariesOfTvm021) {
  const auto file = readExecutableFile(test::fixturePath("tvm021/rich21_bytecode"));
  ASSERT_TRUE(file) << base::formatError(file.error());
  EXPECT_EQ(file->tvmVersion, "0.21");
  EXPECT_EQ(file->kernelCalls, KernelCalls::Plain);
  EXPECT_THAT(file->moduleKinds, ElementsAre("relax.VMExecutable", "_lib"));
  // In the order of the table; `add`, which no instruction calls, after them.
  EXPECT_THAT(names(file->kernels), ElementsAre("shape_func", "padd", "argsort", "add"));
}

TEST(ExecutableFile, TellsWhatLiesBetweenTheVersionsAsUntried) {
  // The first format in a library with today's names. It has no section of memory scopes: eight zero bytes
  // before the number of constants.
  std::string bytes = test::fileBytes(test::fixturePath("tvm027/chain"));
  const std::string body = test::executableBytes("tvm027/chain");
  const std::size_t constants = decodeExecutable(body, "chain").value()->constants.size();
  const std::size_t scopes = body.find(ExecutableWriter().count(0).count(constants).bytes());
  ASSERT_NE(scopes, std::string::npos);
  std::string old = body.substr(0, scopes) + body.substr(scopes + 8);
  old[0] = '\x1D';
  const std::size_t at = bytes.find(body);
  const std::string tail = ExecutableWriter().text("_lib").bytes();
  const std::size_t blob = bytes.find(ExecutableWriter().count(3).count(0).count(1).count(1).bytes()) - 8;
  ASSERT_LT(blob, at);
  bytes.replace(at - 8, 8 + body.size() + tail.size(), ExecutableWriter().text(old).bytes() + tail);
  bytes.insert(at - 8 + 8 + old.size() + tail.size(), 8, '\0');
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data() + blob, 8);
  bytes.replace(blob, 8, ExecutableWriter().count(size - 8).bytes());
  const auto file = parseExecutableFile(std::make_shared<const std::string>(bytes), "model.so");
  ASSERT_TRUE(file) << base::formatError(file.error());
  EXPECT_EQ(file->tvmVersion, "0.22 to 0.24 (untried)");
}

TEST(ExecutableFile, EveryKernelOfEveryFixtureHasItsSignature) {
  for (const std::string& fixture : test::allFixtures()) {
    const auto file = readExecutableFile(test::fixturePath(fixture));
    ASSERT_TRUE(file) << base::formatError(file.error());
    for (const KernelInfo& kernel : file->kernels) {
      EXPECT_THAT(kernel.signature, ::testing::StartsWith(kernel.name + "(")) << fixture;
    }
  }
}

TEST(ExecutableFile, SaysInWordsWhatIsNotAnExecutable) {
  EXPECT_EQ(readExecutableFile(test::fixturePath("absent")).error().code, base::ErrorCode::NotFound);
  EXPECT_THAT(errorOf("text").message, HasSubstr("model.so"));

  std::string other = test::fileBytes(test::fixturePath("tvm027/chain"));
  // A library without the symbol: its name in the string table is changed.
  const std::size_t symbol = other.find("__tvm_ffi__library_bin");
  ASSERT_NE(symbol, std::string::npos);
  other[symbol + 3] = 'X';
  const base::Error error = errorOf(other);
  EXPECT_EQ(error.code, base::ErrorCode::Format);
  EXPECT_EQ(error.message, "model.so: this .so holds no TVM VM executable.");
  EXPECT_EQ(error.hint, "Build it with relax.build and export_library.");
}

TEST(ExecutableFile, NamesTheModulesWhenNoneIsAnExecutable) {
  std::string bytes = test::fileBytes(test::fixturePath("tvm027/chain"));
  const std::size_t kind = bytes.find("relax.VMExecutable");
  ASSERT_NE(kind, std::string::npos);
  bytes.replace(kind, 5, "other");
  EXPECT_THAT(errorOf(bytes).detail, HasSubstr("other.VMExecutable, _lib"));
}

TEST(Listing, EqualsTvmsText) {
  int compared = 0;
  for (const std::string& fixture : test::allFixtures()) {
    const auto file = readExecutableFile(test::fixturePath(fixture));
    ASSERT_TRUE(file);
    const std::string path = std::string(OPSCOPE_TEST_DATA) + "/vm/" + fixture + ".listing.txt";
    const std::string expected = test::fileBytes(path);
    if (expected.empty()) {
      continue;  // TVM's text is not there for every fixture
    }
    EXPECT_EQ(toListing(*file->data), expected) << fixture;
    ++compared;
  }
  EXPECT_GE(compared, 35);
}

TEST(Listing, OfOneFunctionIsItsPart) {
  const auto file = readExecutableFile(test::fixturePath("tvm027/closure"));
  ASSERT_TRUE(file);
  std::string joined;
  for (std::size_t index = 0; index < file->data->functions.size(); ++index) {
    joined += toListing(*file->data, static_cast<std::int64_t>(index)) + "\n";
  }
  EXPECT_EQ(joined, toListing(*file->data));
  EXPECT_EQ(toListing(*file->data, -1), "");
}

}  // namespace opscope::vm
