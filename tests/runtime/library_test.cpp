// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/library.h"

#include <gtest/gtest.h>
#include <tvm/ffi/reflection/registry.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "engine/base/atomic_file.h"
#include "engine/runtime/backend_symbols.h"
#include "engine/runtime/ffi_error.h"
#include "engine/runtime/run_context.h"
#include "engine/runtime/storage.h"
#include "engine/runtime/thread_pool.h"
#include "engine/runtime/workspace_pool.h"
#include "tests/runtime/test_files.h"

namespace opscope::runtime {
namespace {

namespace fs = std::filesystem;
using tvm::ffi::Tensor;
using Shape = tvm::ffi::Shape;

constexpr DLDevice kHost{kDLCPU, 0};
constexpr DLDataType kFloat{kDLFloat, 32, 1};

// tvm-ffi deletes modules through their own deleter, so its base class has no virtual destructor.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"
/// Stands for the virtual machine's module, which these tests do without.
class ExecutableStub final : public tvm::ffi::ModuleObj {
 public:
  const char* kind() const final { return "relax.VMExecutable"; }
  tvm::ffi::Optional<tvm::ffi::Function> GetFunction(const tvm::ffi::String&) final { return std::nullopt; }
};
#pragma GCC diagnostic pop

RuntimeOptions twoThreads() {
  RuntimeOptions options;
  options.threads = 2;
  return options;
}

class Library : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    registerBackendSymbols();
    tvm::ffi::Function::SetGlobal("ffi.Module.load_from_bytes.relax.VMExecutable",
                                  tvm::ffi::Function::FromTyped([](const tvm::ffi::Bytes&) {
                                    return tvm::ffi::Module(tvm::ffi::make_object<ExecutableStub>());
                                  }),
                                  true);
  }

  Tensor filled(const Shape& shape, float (*value)(std::int64_t)) {
    Tensor tensor = emptyTensor(m_allocator, shape, kFloat, kHost);
    auto* values = static_cast<float*>(tensor.data_ptr());
    for (std::int64_t i = 0; i < tensor.numel(); ++i) {
      values[i] = value(i);
    }
    return tensor;
  }

  /// padd of the fixture: twice the argument plus one, in a parallel loop.
  bool paddIsRight(const tvm::ffi::Module& module) {
    const auto padd = module->GetFunction("padd", true);
    if (!padd.has_value()) {
      return false;
    }
    const Tensor in = filled(Shape{64, 1024}, [](std::int64_t i) { return static_cast<float>(i % 1000); });
    const Tensor out = filled(Shape{64, 1024}, [](std::int64_t) { return -1.0F; });
    (*padd)(in, out);
    const auto* values = static_cast<const float*>(out.data_ptr());
    for (std::int64_t i = 0; i < out.numel(); ++i) {
      if (values[i] != 2 * static_cast<float>(i % 1000) + 1) {
        return false;
      }
    }
    return true;
  }

  RunContext m_context{twoThreads()};
  RunContextScope m_scope{m_context};
  StorageAllocator m_allocator{AllocatorKind::Pooled};
};

std::size_t openDescriptors() {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
}

bool isMapped(const std::string& name) {
  std::ifstream maps("/proc/self/maps");
  const std::string text((std::istreambuf_iterator<char>(maps)), std::istreambuf_iterator<char>());
  return text.find(name) != std::string::npos;
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "opscope-test-XXXXXX").string();
    m_path = mkdtemp(name.data());
  }
  ~TemporaryFolder() { fs::remove_all(m_path); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return m_path; }

 private:
  fs::path m_path;
};

void writeInPlace(const fs::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

TEST_F(Library, RunsParallelKernels) {
  const auto module = loadLibrary(readFixture("parallel.so"), "parallel.so");
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_STREQ((*module)->kind(), "relax.VMExecutable");
  EXPECT_TRUE(paddIsRight(*module));
}

TEST_F(Library, RunsKernelsWithWorkspaces) {
  const auto module = loadLibrary(readFixture("workspace.so"), "workspace.so");
  ASSERT_TRUE(module) << module.error().message;
  const Tensor x = filled(Shape{1, 8, 64, 64}, [](std::int64_t i) { return static_cast<float>(i % 13) - 6; });
  const Tensor w = filled(Shape{8, 8, 3, 3}, [](std::int64_t i) { return static_cast<float>(i % 7) - 3; });
  const Tensor y = filled(Shape{1, 8, 64, 64}, [](std::int64_t) { return 0.0F; });
  (*(*module)->GetFunction("conv2d", true))(x, w, y);
  const auto at = [](const Tensor& t, std::int64_t c, std::int64_t row, std::int64_t column) {
    const bool inside = row >= 0 && row < 64 && column >= 0 && column < 64;
    return inside ? static_cast<const float*>(t.data_ptr())[(c * 64 + row) * 64 + column] : 0.0F;
  };
  for (std::int64_t i = 0; i < y.numel(); i += 101) {
    const std::int64_t channel = i / 4096;
    float sum = 0;
    for (std::int64_t k = 0; k < 72; ++k) {
      sum += at(x, k / 9, i / 64 % 64 + k / 3 % 3 - 1, i % 64 + k % 3 - 1) *
             static_cast<const float*>(w.data_ptr())[channel * 72 + k];
    }
    ASSERT_EQ(static_cast<const float*>(y.data_ptr())[i], sum) << i;
  }
  EXPECT_GT(m_context.workspaces().counters().peakBytes, 100000);
  EXPECT_EQ(m_context.workspaces().counters().liveBytes, 0);
}

TEST_F(Library, ErrorsInParallelLoopsReachTheCaller) {
  tvm::ffi::Function::SetGlobal("proto.fail",
                                tvm::ffi::Function::FromPacked([](tvm::ffi::PackedArgs, tvm::ffi::Any*) {
                                  throw tvm::ffi::Error("ValueError", "proto.fail says no", "");
                                }),
                                true);
  for (const int threads : {1, 2, 4}) {
    RuntimeOptions options;
    options.threads = threads;
    RunContext context(options);
    const RunContextScope scope(context);
    const auto module = loadLibrary(readFixture("parfail.so"), "parfail.so");
    ASSERT_TRUE(module) << module.error().message;
    const Tensor a = filled(Shape{8}, [](std::int64_t) { return 1.0F; });
    const Tensor b = filled(Shape{8}, [](std::int64_t) { return 1.0F; });
    const auto result = guarded(base::ErrorCode::KernelFailed, "kernel k",
                                [&] { (*(*module)->GetFunction("k", true))(a, b); });
    ASSERT_FALSE(result) << threads;
    EXPECT_EQ(result.error().message, "kernel k: proto.fail says no");
  }
}

TEST_F(Library, NothingThatHappensToTheFileMatters) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "model.so";
  const std::string original = *readFixture("parallel.so");
  const std::string other = *readFixture("workspace.so");
  writeInPlace(path, original);
  auto content = base::readFile(path);
  ASSERT_TRUE(content);
  const auto module = loadLibrary(std::make_shared<const std::string>(std::move(*content)), path.string());
  ASSERT_TRUE(module) << module.error().message;

  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::thread runner([&] {
    const RunContextScope scope(m_context);
    while (!stop) {
      wrong += !paddIsRight(*module);
    }
  });
  for (int round = 0; round < 5; ++round) {
    writeInPlace(path, std::string(original.size(), '\xCC'));
    writeInPlace(path, other);
    ASSERT_TRUE(base::writeFileAtomically(path, other));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    fs::remove(path);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  stop = true;
  runner.join();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_TRUE(paddIsRight(*module));
}

TEST_F(Library, TheSameNameWithNewContentIsTheNewLibrary) {
  const auto first = loadLibrary(readFixture("parallel.so"), "model.so");
  const auto second = loadLibrary(readFixture("workspace.so"), "model.so");
  const auto third = loadLibrary(readFixture("parallel.so"), "model.so");
  ASSERT_TRUE(first && second && third);
  EXPECT_TRUE((*second)->GetFunction("conv2d", true).has_value());
  EXPECT_FALSE((*second)->GetFunction("padd", true).has_value());
  EXPECT_TRUE(paddIsRight(*first));
  EXPECT_TRUE(paddIsRight(*third));
}

TEST_F(Library, IsUnloadedWithItsLastFunction) {
  const std::size_t before = openDescriptors();
  for (int round = 0; round < 20; ++round) {
    auto module = loadLibrary(readFixture("parallel.so"), "unloadme.so");
    ASSERT_TRUE(module);
    auto function = (*module)->GetFunction("padd", true);
    module = base::Error{};
    EXPECT_TRUE(isMapped("opscope:unloadme.so"));
    const Tensor in = filled(Shape{64, 1024}, [](std::int64_t) { return 1.0F; });
    (*function)(in, in);
    function = std::nullopt;
    EXPECT_FALSE(isMapped("opscope:unloadme.so"));
  }
  EXPECT_EQ(openDescriptors(), before);
}

TEST_F(Library, NamesEverySymbolThatIsMissing) {
  const auto content = base::readFile(OPSCOPE_BINARY_DIR "/tests/runtime_plugins/unresolved.so");
  ASSERT_TRUE(content);
  const std::size_t before = openDescriptors();
  const auto module = loadLibrary(std::make_shared<const std::string>(*content), "unresolved.so");
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().code, base::ErrorCode::MissingFunction);
  EXPECT_NE(module.error().message.find("unresolved.so needs 2 symbols that nothing here provides"),
            std::string::npos)
      << module.error().message;
  EXPECT_NE(module.error().message.find("nobodyHasThisFunction"), std::string::npos);
  EXPECT_NE(module.error().message.find("nobodyHasThisVariable"), std::string::npos);
  EXPECT_EQ(module.error().message.find("weakOnes"), std::string::npos);
  EXPECT_EQ(module.error().detail.find("/proc/"), std::string::npos) << module.error().detail;
  EXPECT_FALSE(module.error().hint.empty());
  EXPECT_EQ(openDescriptors(), before);
}

TEST_F(Library, RefusesWhatIsNoLibraryForThisMachine) {
  const auto text = loadLibrary(std::make_shared<const std::string>("int main() {}"), "main.c");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, base::ErrorCode::Format);
  std::string foreign = *readFixture("parallel.so");
  foreign[18] = static_cast<char>(0xF3);
  foreign[19] = 0;
  const auto riscv = loadLibrary(std::make_shared<const std::string>(foreign), "board.so");
  ASSERT_FALSE(riscv);
  EXPECT_EQ(riscv.error().code, base::ErrorCode::Unsupported);
  EXPECT_NE(riscv.error().message.find("board.so is built for riscv64"), std::string::npos);
  const auto format = loadLibrary(readFixture("parallel.so"), "parallel.so", "xyz");
  ASSERT_FALSE(format);
  EXPECT_EQ(format.error().code, base::ErrorCode::Unsupported);
}

TEST_F(Library, ErrorsOfEmbeddedLoadersNameTheFile) {
  tvm::ffi::Function::SetGlobal("ffi.Module.load_from_bytes.relax.VMExecutable",
                                tvm::ffi::Function::FromTyped([](const tvm::ffi::Bytes&) -> tvm::ffi::Module {
                                  throw tvm::ffi::Error("ValueError", "bad bytes", "");
                                }),
                                true);
  const auto module = loadLibrary(readFixture("parallel.so"), "parallel.so");
  SetUpTestSuite();
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().code, base::ErrorCode::Format);
  EXPECT_EQ(module.error().message, "parallel.so: bad bytes");
}

}  // namespace
}  // namespace opscope::runtime
