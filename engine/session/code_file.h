// SPDX-License-Identifier: Apache-2.0
// The executable's file for looking at its code. Any thread.
#pragma once

#include <string>

#include "engine/base/result.h"
#include "engine/vm/executable_file.h"

namespace opscope::session {

struct CodeFile {
  vm::ExecutableFile file;
  std::string hash;
};

/// Errors: those of vm::readExecutableFile; NotFound when the file is another one than that of
/// `expectedHash`, unless that is empty.
base::Result<CodeFile> readCodeFile(const std::string& path, const std::string& expectedHash);

}  // namespace opscope::session
