// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/elf_image.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "tests/runtime/test_files.h"

namespace opscope::runtime {
namespace {

base::Result<ElfImage> parseText(std::string bytes) {
  return ElfImage::parse(std::make_shared<const std::string>(std::move(bytes)), "model.so");
}

/// The fixture with `value` written over the bytes at `offset`.
template <class T>
std::string patched(std::size_t offset, T value) {
  std::string bytes = *readFixture("parallel.so");
  std::memcpy(bytes.data() + offset, &value, sizeof(T));
  return bytes;
}

bool contains(const std::vector<ElfSymbol>& symbols, std::string_view name) {
  return std::any_of(symbols.begin(), symbols.end(), [name](const ElfSymbol& s) { return s.name == name; });
}

TEST(ElfImage, ReadsALibrary) {
  const auto image = ElfImage::parse(readFixture("parallel.so"), "parallel.so");
  ASSERT_TRUE(image) << image.error().message;
  EXPECT_EQ(image->architecture(), "x86-64");
  EXPECT_TRUE(contains(image->definedSymbols(), "__TVMBackendParallelLaunch"));
  EXPECT_TRUE(contains(image->undefinedSymbols(), "TVMFFIErrorSetRaisedFromCStrParts"));
  EXPECT_FALSE(contains(image->definedSymbols(), "TVMFFIErrorSetRaisedFromCStrParts"));
  const auto blob = image->dataOfSymbol("__tvm_ffi__library_bin");
  ASSERT_TRUE(blob);
  std::uint64_t length = 0;
  std::memcpy(&length, blob->data(), sizeof(length));
  EXPECT_EQ(length + 8, image->findSymbol("__tvm_ffi__library_bin")->size);
  EXPECT_FALSE(image->dataOfSymbol("no such symbol"));
}

TEST(ElfImage, TellsFunctionsFromDataAndWeakFromStrong) {
  const auto image = ElfImage::parse(readFixture("mlp_compiled.so"), "mlp_compiled.so");
  ASSERT_TRUE(image);
  const ElfSymbol* main = image->findSymbol("__tvm_ffi___vmtir__forward");
  ASSERT_NE(main, nullptr);
  EXPECT_TRUE(main->function);
  EXPECT_GT(main->size, 0U);
  for (const ElfSymbol& symbol : image->undefinedSymbols()) {
    EXPECT_EQ(symbol.weak, symbol.name.starts_with("_ITM") || symbol.name.starts_with("__gmon") ||
                               symbol.name == "__cxa_finalize")
        << symbol.name;
  }
}

TEST(ElfImage, WorksWithoutSectionHeaders) {
  std::string bytes = patched<std::uint64_t>(offsetof(Elf64_Ehdr, e_shoff), 0);
  std::memset(bytes.data() + offsetof(Elf64_Ehdr, e_shentsize), 0, 6);
  const auto image = parseText(bytes);
  ASSERT_TRUE(image) << image.error().detail;
  EXPECT_TRUE(image->dataOfSymbol("__tvm_ffi__library_bin"));
}

TEST(ElfImage, RefusesOtherArchitecturesOnlyForRunning) {
  const auto image = parseText(patched<std::uint16_t>(
      offsetof(Elf64_Ehdr, e_machine), hostArchitecture() == "x86-64" ? EM_AARCH64 : EM_X86_64));
  ASSERT_TRUE(image);
  const auto runs = image->checkRunsHere();
  ASSERT_FALSE(runs);
  EXPECT_EQ(runs.error().code, base::ErrorCode::Unsupported);
  EXPECT_EQ(runs.error().message, hostArchitecture() == "x86-64"
                                      ? "model.so is built for aarch64, this computer is x86-64"
                                      : "model.so is built for x86-64, this computer is aarch64");
}

TEST(ElfImage, NamesWhatIsNotALibrary) {
  const auto expectMessage = [](std::string bytes, std::string_view text, base::ErrorCode code) {
    const auto image = parseText(std::move(bytes));
    ASSERT_FALSE(image);
    EXPECT_EQ(image.error().code, code) << image.error().message;
    EXPECT_NE(image.error().message.find(text), std::string::npos) << image.error().message;
  };
  using base::ErrorCode;
  expectMessage("", "it is empty", ErrorCode::Format);
  expectMessage("{\"calls\": []}", "text that looks like JSON", ErrorCode::Format);
  expectMessage("MZ\x90", "Windows library", ErrorCode::Format);
  expectMessage(
      "\x7F"
      "ELF",
      "ELF header", ErrorCode::Format);
  expectMessage(patched<std::uint8_t>(EI_CLASS, ELFCLASS32), "a 32-bit library", ErrorCode::Unsupported);
  expectMessage(patched<std::uint8_t>(EI_DATA, ELFDATA2MSB), "a big-endian library", ErrorCode::Unsupported);
  expectMessage(patched<std::uint8_t>(EI_CLASS, 9), "class at byte 4", ErrorCode::Format);
  expectMessage(patched<std::uint16_t>(offsetof(Elf64_Ehdr, e_type), ET_REL), "an object file",
                ErrorCode::Unsupported);
  expectMessage(patched<std::uint16_t>(offsetof(Elf64_Ehdr, e_type), ET_EXEC), "a program",
                ErrorCode::Unsupported);
}

TEST(ElfImage, EveryTruncationIsAnErrorThatTellsPlaceAndExpectation) {
  const std::string whole = *readFixture("parallel.so");
  std::size_t refused = 0;
  for (std::size_t size = 0; size < whole.size(); size += 61) {
    const auto image = parseText(whole.substr(0, size));
    if (!image) {
      ++refused;
      EXPECT_NE(image.error().message.find("model.so"), std::string::npos);
      EXPECT_FALSE(image.error().detail.empty());
    }
  }
  EXPECT_GT(refused, whole.size() / 61 * 3 / 5);
}

TEST(ElfImage, HugeCountsAndOffsetsAreErrors) {
  EXPECT_FALSE(parseText(patched<std::uint16_t>(offsetof(Elf64_Ehdr, e_phnum), 0xFFFF)));
  EXPECT_FALSE(parseText(patched<std::uint16_t>(offsetof(Elf64_Ehdr, e_phnum), 0)));
  EXPECT_FALSE(parseText(patched<std::uint64_t>(offsetof(Elf64_Ehdr, e_phoff), ~std::uint64_t{0} - 8)));
  EXPECT_FALSE(parseText(patched<std::uint64_t>(offsetof(Elf64_Ehdr, e_phoff), std::uint64_t{1} << 40)));
}

}  // namespace
}  // namespace opscope::runtime
