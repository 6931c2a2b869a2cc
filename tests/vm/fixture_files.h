// SPDX-License-Identifier: Apache-2.0
// Where the executables for tests are, and the bytes inside them. Any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opscope::vm::test {

/// "tvm027/chain" -> path of the library.
std::string fixturePath(std::string_view name);
/// All libraries of TVM 0.25 and 0.27 under tests/data/vm, as "tvm027/chain", sorted.
std::vector<std::string> allFixtures();
/// The whole file.
std::string fileBytes(const std::string& path);
/// The serialised VM executable in a library, found by its kind's name in the module tree.
std::string executableBytes(std::string_view fixture);

}  // namespace opscope::vm::test
