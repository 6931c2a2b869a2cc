// SPDX-License-Identifier: Apache-2.0
// Constants as values: where tensors lie, and what bytes written by hand hold of each kind.
#include "engine/vm/constants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/string.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "engine/runtime/library_bytes.h"
#include "engine/runtime/storage.h"
#include "engine/vm/executable_decoder.h"
#include "tests/vm/fuzz/program_writer.h"

namespace opscope::vm::test {

namespace ffi = tvm::ffi;
using testing::HasSubstr;

namespace {

std::shared_ptr<const ExecutableData> decoded(const ExecutableData& data,
                                              const std::string& tensorBytes = {}) {
  auto result = decodeExecutable(serialise(data, tensorBytes), "hand made");
  EXPECT_TRUE(result) << base::formatError(result.error());
  return result.value_or(nullptr);
}

/// Tensors of bytes with these sizes; byte i of tensor t is t + i.
ExecutableData manyTensors(const std::vector<std::size_t>& sizes, std::string& tensorBytes) {
  ExecutableData data;
  for (std::size_t t = 0; t < sizes.size(); ++t) {
    TensorConstant tensor;
    tensor.type = {1, 8, 1};
    tensor.shape = {static_cast<std::int64_t>(sizes[t])};
    tensor.offset = tensorBytes.size();
    tensor.size = sizes[t];
    for (std::size_t i = 0; i < sizes[t]; ++i) {
      tensorBytes.push_back(static_cast<char>(t + i));
    }
    data.constants.emplace_back(tensor);
  }
  return data;
}

void expectTensors(const std::vector<ffi::Any>& values, const std::vector<std::size_t>& sizes) {
  ASSERT_EQ(values.size(), sizes.size());
  for (std::size_t t = 0; t < sizes.size(); ++t) {
    const auto tensor = values[t].cast<ffi::Tensor>();
    const auto* bytes = static_cast<const char*>(tensor.data_ptr());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes) % runtime::kTensorAlignment, 0U) << t;
    for (std::size_t i = 0; i < sizes[t]; ++i) {
      ASSERT_EQ(bytes[i], static_cast<char>(t + i)) << "tensor " << t << ", byte " << i;
    }
  }
}

}  // namespace

TEST(Constants, IntegersAndFloatsAreValues) {
  ExecutableData data;
  data.constants = {std::int64_t{-7}, 2.5, std::string("text"), ShapeConstant{{2, -3}}, DataType{2, 16, 1}};
  const auto values = makeConstants(*decoded(data));
  ASSERT_TRUE(values) << base::formatError(values.error());
  EXPECT_EQ((*values)[0].cast<std::int64_t>(), -7);
  EXPECT_EQ((*values)[1].type_index(), kTVMFFIFloat);
  EXPECT_EQ((*values)[1].cast<double>(), 2.5);
  EXPECT_EQ((*values)[2].cast<ffi::String>(), "text");
  EXPECT_EQ((*values)[3].cast<ffi::Shape>()[1], -3);
  EXPECT_EQ((*values)[4].cast<DLDataType>().bits, 16);
}

TEST(Constants, ScopesOfHostMemoryAreTaken) {
  std::string tensorBytes;
  ExecutableData data = manyTensors({4, 4}, tensorBytes);
  data.memoryScopes = {{0, "global"}, {1, ""}};
  const auto taken = decoded(data, tensorBytes);
  ASSERT_EQ(taken->memoryScopes.size(), 2U);
  EXPECT_EQ(taken->memoryScopes[0].scope, "global");
  EXPECT_TRUE(makeConstants(*taken));

  data.memoryScopes[1].scope = "global.texture";
  const auto refused = makeConstants(*decoded(data, tensorBytes));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::ErrorCode::Unsupported);
  EXPECT_THAT(refused.error().message, HasSubstr("constant 1 wants memory scope \"global.texture\""));
}

TEST(Constants, TensorsAreAlignedWhereTheyLie) {
  std::vector<std::size_t> sizes = {1000, 1, 63, 64, 65, 0, 4096, 1, 1, 1, 1, 2, 700};
  std::string tensorBytes;
  const auto data = decoded(manyTensors(sizes, tensorBytes), tensorBytes);
  const std::string_view image = data->bytes->view();
  const auto values = makeConstants(*data);
  ASSERT_TRUE(values) << base::formatError(values.error());
  expectTensors(*values, sizes);
  const auto* large = static_cast<const char*>((*values)[6].cast<ffi::Tensor>().data_ptr());
  EXPECT_TRUE(large >= image.data() && large + 4096 <= image.data() + image.size()) << "it was copied";
  // A second machine has the same tensors.
  const auto again = makeConstants(*data);
  EXPECT_EQ((*again)[6].cast<ffi::Tensor>().data_ptr(), large);
  expectTensors(*again, sizes);
}

TEST(Constants, TensorsOutliveTheExecutable) {
  const std::vector<std::size_t> sizes = {5000, 300};
  std::string tensorBytes;
  auto data = decoded(manyTensors(sizes, tensorBytes), tensorBytes);
  const std::vector<ffi::Any> values = makeConstants(*data).value();
  data.reset();
  expectTensors(values, sizes);
}

// What a process holds resident, in bytes.
std::size_t residentBytes() {
  std::ifstream status("/proc/self/smaps_rollup");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Rss:")) {
      return std::stoul(line.substr(4)) * 1024;
    }
  }
  return 0;
}

TEST(Constants, AreInMemoryOnce) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer keeps several bytes of its own for each byte that is touched";
#endif
  const std::filesystem::path path = testing::TempDir() + "opscope-constants";
  constexpr std::size_t kBytes = std::size_t{1} << 20;
  const std::vector<std::size_t> sizes(24, kBytes);
  {
    std::string tensorBytes;
    const ExecutableData data = manyTensors(sizes, tensorBytes);
    std::ofstream(path, std::ios::binary) << serialise(data, tensorBytes);
  }
  const std::size_t before = residentBytes();
  auto bytes = runtime::LibraryBytes::read(path).value();
  std::filesystem::remove(path);
  const std::uint64_t size = bytes->view().size();
  const auto data = decodeExecutable(std::move(bytes), 0, size, "big").value();
  const auto values = makeConstants(*data);
  ASSERT_TRUE(values);
  const std::size_t held = residentBytes() - before;
  expectTensors(*values, sizes);
  // AddressSanitizer keeps books of its own beside it.
  EXPECT_LE(held, sizes.size() * kBytes * 5 / 4);
}

TEST(Constants, BytesServeOneExecutable) {
  const std::string bytes = serialise(ExecutableData(), "");
  const auto shared = runtime::LibraryBytes::of(bytes);
  EXPECT_TRUE(decodeExecutable(shared, 0, bytes.size(), "model.so"));
  const auto second = decodeExecutable(shared, 0, bytes.size(), "model.so");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, base::ErrorCode::Internal);
}

}  // namespace opscope::vm::test
