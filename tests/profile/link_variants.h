// SPDX-License-Identifier: Apache-2.0
// Links the objects of one compiled model in the ways that linkers and their options give.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace opscope::profile::test {

struct LinkVariant {
  const char* name;
  const char* flags;
  const char* way;     ///< how kernels are met in what it gives
  const char* linker;  ///< program that must be there, "" for the compiler's own
};

/// Every variant that the tests hold.
const std::vector<LinkVariant>& linkVariants();

/// A folder of its own with the linked libraries, gone with it.
class LinkedModels {
 public:
  LinkedModels();
  ~LinkedModels();
  LinkedModels(const LinkedModels&) = delete;
  LinkedModels& operator=(const LinkedModels&) = delete;

  /// The model in compiled mode, linked so; nothing, and words on standard output, when the linker is not
  /// installed. Fails the test when linking fails.
  std::optional<std::filesystem::path> compiled(const LinkVariant& variant) const;
  /// The same model in bytecode.
  std::filesystem::path bytecode() const;

 private:
  std::filesystem::path link(const std::string& objects, const std::string& name,
                             const std::string& flags) const;
  std::filesystem::path m_folder;
};

}  // namespace opscope::profile::test
