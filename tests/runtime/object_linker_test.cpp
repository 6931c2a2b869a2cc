// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/object_linker.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>

#include "engine/runtime/child_process.h"
#include "engine/runtime/elf_image.h"
#include "tests/runtime/test_files.h"

namespace opscope::runtime {

namespace {

using base::ErrorCode;

/// A variable of the environment for one test.
class Variable {
 public:
  Variable(const char* name, const char* value) : m_name(name) {
    const char* before = ::getenv(name);
    m_had = before != nullptr;
    m_before = m_had ? before : "";
    if (value == nullptr) {
      ::unsetenv(name);
    } else {
      ::setenv(name, value, 1);
    }
  }
  ~Variable() {
    if (m_had) {
      ::setenv(m_name, m_before.c_str(), 1);
    } else {
      ::unsetenv(m_name);
    }
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* m_name;
  bool m_had = false;
  std::string m_before;
};

class ObjectLinker : public testing::Test {
 protected:
  void SetUp() override {
    std::string path = testing::TempDir() + "opscope-linker-XXXXXX";
    ASSERT_NE(::mkdtemp(path.data()), nullptr);
    m_folder = path;
  }
  void TearDown() override {
    EXPECT_TRUE(std::filesystem::is_empty(m_folder)) << "temporary files stay behind";
    std::filesystem::remove_all(m_folder);
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child was not waited for";
  }
  std::filesystem::path m_folder;
  Variable m_cxx{"CXX", nullptr};
  Variable m_cc{"CC", nullptr};
};

base::Error errorOf(const std::string& bytes) {
  const auto linked = linkObjects(bytes, "model.tar");
  EXPECT_FALSE(linked);
  return linked ? base::Error{} : linked.error();
}

}  // namespace

TEST_F(ObjectLinker, MakesLibrariesOfAllThreeForms) {
  const Variable temporary("TMPDIR", m_folder.c_str());
  for (const std::string name : {"linked/model.tar", "linked/model.o", "linked/model.a"}) {
    const auto bytes = readFixture(name);
    ASSERT_TRUE(isLinkable(*bytes)) << name;
    const auto library = linkObjects(*bytes, name);
    ASSERT_TRUE(library) << base::formatError(library.error());
    const auto image = ElfImage::parse(*library, name);
    ASSERT_TRUE(image) << base::formatError(image.error());
    EXPECT_NE(image->findSymbol("__tvm_ffi__library_bin"), nullptr) << name;
    EXPECT_NE(image->findSymbol("__tvm_ffi_add"), nullptr) << name;
  }
  EXPECT_FALSE(isLinkable(*readFixture("tvm027/chain.so")));
}

TEST_F(ObjectLinker, SaysWhatToInstallWithoutACompiler) {
  const Variable temporary("TMPDIR", m_folder.c_str());
  const auto bytes = readFixture("linked/model.o");
  {
    const Variable path("PATH", "/nowhere");
    const base::Error error = errorOf(*bytes);
    EXPECT_EQ(error.code, ErrorCode::Unsupported);
    EXPECT_NE(error.hint.find("apt install g++"), std::string::npos);
    EXPECT_NE(error.hint.find(".so"), std::string::npos);
  }
  const Variable cc("CC", "no-such-compiler -O2");
  EXPECT_NE(errorOf(*bytes).detail.find("no-such-compiler"), std::string::npos);
}

TEST_F(ObjectLinker, TellsWhatTheCompilerSays) {
  const Variable temporary("TMPDIR", m_folder.c_str());
  std::string damaged = *readFixture("linked/model.o");
  damaged.resize(damaged.size() / 2);
  const base::Error error = errorOf(damaged);
  EXPECT_EQ(error.code, ErrorCode::Io);
  EXPECT_NE(error.message.find("exit status 1"), std::string::npos) << error.message;
  EXPECT_NE(error.detail.find("0.o"), std::string::npos) << error.detail;
}

TEST_F(ObjectLinker, RefusesWhatIsNotForHere) {
  std::string foreign = *readFixture("linked/model.o");
  foreign[18] = static_cast<char>(0xF3);  // RISC-V
  const base::Error error = errorOf(foreign);
  EXPECT_EQ(error.code, ErrorCode::Unsupported);
  EXPECT_NE(error.message.find("another architecture"), std::string::npos);
  std::string packed = *readFixture("linked/model.tar");
  packed.resize(packed.size() - 100);
  EXPECT_EQ(errorOf(packed).code, ErrorCode::Format);
}

TEST(ChildProcess, IsEndedWhenItsTimeIsOver) {
  const auto ran =
      runChild({"sh", "-c", "echo before; sleep 100 & sleep 100"}, std::chrono::milliseconds(200));
  ASSERT_TRUE(ran);
  EXPECT_TRUE(ran->timedOut);
  EXPECT_FALSE(ran->succeeded);
  EXPECT_EQ(ran->output, "before\n");
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
}

TEST(ChildProcess, GivesBothOutputsAndTheStatus) {
  const auto ran = runChild({"sh", "-c", "echo out; echo err >&2; exit 7"}, std::chrono::seconds(20));
  ASSERT_TRUE(ran);
  EXPECT_EQ(ran->output, "out\nerr\n");
  EXPECT_EQ(ran->how, "exit status 7");
  // A child of its own that lives on does not hold us up.
  const auto left = runChild({"sh", "-c", "sleep 3 & echo done"}, std::chrono::seconds(20));
  ASSERT_TRUE(left);
  EXPECT_TRUE(left->succeeded);
  EXPECT_EQ(left->output, "done\n");
  const auto none = runChild({"no-such-program"}, std::chrono::seconds(1));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::NotFound);
}

}  // namespace opscope::runtime
