// SPDX-License-Identifier: Apache-2.0
#include "tests/profile/link_variants.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

namespace opscope::profile::test {

namespace {

bool runs(const std::string& command) {
  return std::system(command.c_str()) == 0;
}

bool isInstalled(const std::string& program) {
  return program.empty() || runs("command -v " + program + " >/dev/null 2>&1");
}

}  // namespace

const std::vector<LinkVariant>& linkVariants() {
  static const std::vector<LinkVariant> kVariants = {
      {"Default", "", "slots", ""},
      {"Stripped", "-s", "slots", ""},
      {"BoundAtLoad", "-Wl,-z,now -Wl,-z,relro", "slots", ""},
      {"Symbolic", "-Wl,-Bsymbolic", "call sites", ""},
      {"SymbolicFunctions", "-Wl,-Bsymbolic-functions", "call sites", ""},
      {"SymbolicStripped", "-Wl,-Bsymbolic -s", "call sites", ""},
      {"SymbolicBoundAtLoad", "-Wl,-Bsymbolic -Wl,-z,now -Wl,-z,relro -s", "call sites", ""},
      {"Gold", "-fuse-ld=gold", "slots", "ld.gold"},
      {"GoldSymbolic", "-fuse-ld=gold -Wl,-Bsymbolic", "call sites", "ld.gold"},
      {"Lld", "-fuse-ld=lld", "slots", "ld.lld"},
      {"LldBoundAtLoad", "-fuse-ld=lld -Wl,-z,now -Wl,-z,relro", "slots", "ld.lld"},
      {"LldSymbolic", "-fuse-ld=lld -Wl,-Bsymbolic -s", "call sites", "ld.lld"},
  };
  return kVariants;
}

LinkedModels::LinkedModels() {
  std::string pattern = (std::filesystem::temp_directory_path() / "opscope_linked_XXXXXX").string();
  m_folder = mkdtemp(pattern.data());
  for (const char* mode : {"compiled", "bytecode"}) {
    const std::filesystem::path folder = m_folder / mode;
    std::filesystem::create_directory(folder);
    EXPECT_TRUE(runs(
        fmt::format("tar -xf {}/vm/link_variants/{}.tar -C {}", OPSCOPE_TEST_DATA, mode, folder.string())));
  }
}

LinkedModels::~LinkedModels() {
  std::error_code ignored;
  std::filesystem::remove_all(m_folder, ignored);
}

std::filesystem::path LinkedModels::link(const std::string& objects, const std::string& name,
                                         const std::string& flags) const {
  const std::filesystem::path library = m_folder / (name + ".so");
  const std::string command = fmt::format("{} -shared -fPIC -o {} {}/*.o {}", OPSCOPE_TEST_COMPILER,
                                          library.string(), (m_folder / objects).string(), flags);
  EXPECT_TRUE(runs(command)) << command;
  return library;
}

std::optional<std::filesystem::path> LinkedModels::compiled(const LinkVariant& variant) const {
  if (!isInstalled(variant.linker)) {
    fmt::print("{} is not installed, so {} is not linked\n", variant.linker, variant.name);
    return std::nullopt;
  }
  return link("compiled", variant.name, variant.flags);
}

std::filesystem::path LinkedModels::bytecode() const {
  return link("bytecode", "bytecode", "");
}

}  // namespace opscope::profile::test
