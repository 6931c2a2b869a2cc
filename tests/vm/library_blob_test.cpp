// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/library_blob.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/vm/executable_writer.h"

namespace opscope::vm {

namespace {

using test::ExecutableWriter;
using ::testing::HasSubstr;

std::string withSize(const ExecutableWriter& payload) {
  return ExecutableWriter().text(payload.bytes()).bytes();
}

// executable -> { library, cuda }
ExecutableWriter cudaTree(std::uint64_t lastRow = 2, std::uint64_t lastChild = 2) {
  ExecutableWriter writer;
  writer.count(4).count(0).count(2).count(2).count(lastRow);
  writer.count(2).count(1).count(lastChild);
  writer.text("relax.VMExecutable").text("body").text("_lib").text("cuda").text("cubin");
  return writer;
}

}  // namespace

TEST(LibraryBlob, ListsModulesAndImports) {
  const std::string bytes = withSize(cudaTree()) + "bytes after it";
  const auto blob = parseLibraryBlob(bytes, "model.so");
  ASSERT_TRUE(blob) << base::formatError(blob.error());
  ASSERT_EQ(blob->modules.size(), 3U);
  EXPECT_EQ(blob->modules[0].body, "body");
  EXPECT_EQ(blob->modules[0].imports, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(blob->modules[1].kind, "_lib");
  EXPECT_EQ(blob->modules[2].body, "cubin");
  EXPECT_EQ(blob->find("cuda"), 2);
  EXPECT_EQ(blob->find("vulkan"), -1);
}

TEST(LibraryBlob, IsWrittenAgainWithoutABody) {
  const std::string bytes = withSize(cudaTree());
  const auto blob = parseLibraryBlob(bytes, "model.so");
  ASSERT_TRUE(blob);
  EXPECT_EQ(blob->size, bytes.size());
  EXPECT_EQ(serialiseLibraryBlob(*blob, "none"), bytes);
  const std::string shorter = serialiseLibraryBlob(*blob, "relax.VMExecutable");
  const auto again = parseLibraryBlob(shorter, "model.so");
  ASSERT_TRUE(again) << base::formatError(again.error());
  EXPECT_EQ(again->modules[0].body, std::string_view("\0", 1));
  EXPECT_EQ(again->modules[2].body, "cubin");
  EXPECT_EQ(again->modules[0].imports, blob->modules[0].imports);
}

TEST(LibraryBlob, RefusesWrongRowsAndChildren) {
  for (const ExecutableWriter& writer : {cudaTree(3), cudaTree(1), cudaTree(2, 3), cudaTree(2, 0)}) {
    const auto blob = parseLibraryBlob(withSize(writer), "model.so");
    ASSERT_FALSE(blob);
    EXPECT_EQ(blob.error().code, base::ErrorCode::Format);
    EXPECT_THAT(blob.error().message, HasSubstr("model.so"));
  }
}

TEST(LibraryBlob, RefusesEveryTruncation) {
  const std::string bytes = withSize(cudaTree());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(parseLibraryBlob(std::string_view(bytes).substr(0, size), "model.so")) << size;
  }
  ExecutableWriter extra = cudaTree();
  extra.word(0);
  EXPECT_FALSE(parseLibraryBlob(withSize(extra), "model.so"));
}

namespace {

ExecutableWriter oldTree(std::uint64_t rows = 3, std::uint64_t child = 1) {
  ExecutableWriter writer;
  writer.count(3).text("relax.VMExecutable").text("body").text("_lib").text("_import_tree");
  writer.count(rows).count(0).count(1);
  for (std::uint64_t row = 2; row < rows; ++row) {
    writer.count(1);
  }
  return writer.count(1).count(child);
}

}  // namespace

TEST(OldLibraryBlob, ListsModulesAndImports) {
  const std::string bytes = withSize(oldTree()) + "bytes after it";
  const auto blob = parseOldLibraryBlob(bytes, "model.so");
  ASSERT_TRUE(blob) << base::formatError(blob.error());
  ASSERT_EQ(blob->modules.size(), 2U);
  EXPECT_EQ(blob->modules[0].body, "body");
  EXPECT_EQ(blob->modules[0].imports, (std::vector<std::size_t>{1}));
  EXPECT_EQ(blob->modules[1].kind, "_lib");
}

TEST(OldLibraryBlob, RefusesWrongTrees) {
  ExecutableWriter without;
  without.count(1).text("_lib");
  for (const ExecutableWriter& writer : {oldTree(2), oldTree(4), oldTree(3, 2), oldTree(3, 0), without}) {
    const auto blob = parseOldLibraryBlob(withSize(writer), "model.so");
    ASSERT_FALSE(blob);
    EXPECT_EQ(blob.error().code, base::ErrorCode::Format);
  }
  const std::string bytes = withSize(oldTree());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(parseOldLibraryBlob(std::string_view(bytes).substr(0, size), "model.so")) << size;
  }
}

}  // namespace opscope::vm
