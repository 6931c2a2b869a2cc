// SPDX-License-Identifier: Apache-2.0
#include "tests/vm/fuzz/fuzz_cases.h"

#include <algorithm>
#include <stdexcept>

#include "engine/runtime/library.h"
#include "engine/vm/executable_decoder.h"
#include "engine/vm/executable_file.h"
#include "tests/vm/fixture_files.h"
#include "tests/vm/fuzz/program_maker.h"
#include "tests/vm/fuzz/program_writer.h"

namespace opscope::vm::test {

namespace {

constexpr std::size_t kMostCorpusBytes = 300'000;

bool hasBytecodeOnly(const ExecutableData& data) {
  return std::ranges::none_of(data.functions, [](const FunctionEntry& function) {
    return function.kind == FunctionKind::VmTir;  // machine code trusts its registers
  });
}

void changeBytes(FuzzRandom& random, std::string& bytes) {
  for (std::size_t i = 1 + random.below(6); i > 0 && bytes.size() > 8; --i) {
    const std::size_t at = random.below(bytes.size() - 8);
    if (random.chance(50)) {
      bytes[at] = static_cast<char>(random.word());
    } else {
      const std::int64_t number = random.number();
      bytes.replace(at, 8, reinterpret_cast<const char*>(&number), 8);
    }
  }
}

}  // namespace

FuzzCases::FuzzCases(const std::filesystem::path& corpus) {
  if (corpus.empty()) {
    return;
  }
  for (const std::string folder : {"tvm025", "tvm027"}) {
    for (const auto& file : std::filesystem::directory_iterator(corpus / folder)) {
      if (file.path().extension() != ".so") {
        continue;
      }
      Entry entry{folder + "." + file.path().stem().string(), file.path(),
                  executableBytes(folder + "/" + file.path().stem().string()), nullptr};
      auto data = decodeExecutable(entry.bytes, entry.name);
      if (data && entry.bytes.size() < kMostCorpusBytes && hasBytecodeOnly(**data)) {
        entry.data = *std::move(data);
        m_entries.push_back(std::move(entry));
      }
    }
  }
  std::ranges::sort(m_entries, {}, &Entry::name);
}

FuzzCase FuzzCases::changed(FuzzRandom& random, const Entry& entry) {
  FuzzCase fuzzCase;
  fuzzCase.libraryName = entry.name;
  if (random.chance(40)) {
    fuzzCase.bytes = entry.bytes;
    changeBytes(random, fuzzCase.bytes);
    return fuzzCase;
  }
  auto data = std::make_shared<ExecutableData>(*entry.data);
  data->constantPool = nullptr;
  changeProgram(random, *data);
  fuzzCase.bytes = serialise(*data, entry.bytes);
  if (random.chance(50)) {
    fuzzCase.data = std::move(data);
  }
  return fuzzCase;
}

FuzzCase FuzzCases::make(std::uint64_t seed, std::uint64_t number) {
  FuzzRandom random(seed ^ (number * 0xD6E8FEB86659FD93U));
  FuzzCase fuzzCase;
  if (!m_entries.empty() && random.chance(30)) {
    fuzzCase = changed(random, random.oneOf(m_entries));
  } else {
    FuzzProgram program = makeProgram(random);
    if (random.chance(15)) {
      changeProgram(random, program.data);
    }
    fuzzCase.bytes = serialise(program.data, program.tensorBytes);
  }
  // From the bytes, so that a kept file runs with the same arguments.
  fuzzCase.seed = std::hash<std::string>()(fuzzCase.bytes);
  return fuzzCase;
}

FuzzCase FuzzCases::read(const std::filesystem::path& path) {
  FuzzCase fuzzCase;
  const std::string name = path.stem().string();
  const std::size_t at = name.find('@');
  fuzzCase.libraryName = at == std::string::npos ? "" : name.substr(0, at);
  fuzzCase.bytes = fileBytes(path.string());
  fuzzCase.seed = std::hash<std::string>()(fuzzCase.bytes);
  return fuzzCase;
}

tvm::ffi::Module FuzzCases::library(const std::string& name) {
  const auto known = m_libraries.find(name);
  if (known != m_libraries.end()) {
    return known->second;
  }
  const auto entry = std::ranges::find(m_entries, name, &Entry::name);
  if (name.empty() || entry == m_entries.end()) {
    return m_libraries.emplace(name, FuzzRunner::emptyModule()).first->second;
  }
  auto loaded =
      runtime::loadLibrary(std::make_shared<const std::string>(fileBytes(entry->path.string())), name);
  if (!loaded) {
    throw std::runtime_error(base::formatError(loaded.error()));
  }
  return m_libraries.emplace(name, *std::move(loaded)).first->second;
}

FuzzOutcome FuzzCases::run(FuzzRunner& runner, const FuzzCase& fuzzCase) {
  const tvm::ffi::Module kernels = library(fuzzCase.libraryName);
  if (fuzzCase.data != nullptr) {
    return runner.runData(fuzzCase.data, kernels, fuzzCase.seed);
  }
  return runner.runBytes(fuzzCase.bytes, kernels, fuzzCase.seed);
}

}  // namespace opscope::vm::test
