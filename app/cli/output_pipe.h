// SPDX-License-Identifier: Apache-2.0
// A file name for standard output, for what is written by name while a run goes on. One thread makes and
// ends it; a thread of its own copies.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "app/cli/console.h"
#include "engine/base/result.h"

namespace opscope::cli {

class OutputPipe {
 public:
  /// `console` writes what comes, and must outlive this; nobody else writes to it meanwhile. Errors: Io.
  static base::Result<std::unique_ptr<OutputPipe>> open(Console& console);
  ~OutputPipe();
  OutputPipe(const OutputPipe&) = delete;
  OutputPipe& operator=(const OutputPipe&) = delete;

  /// What is written to this file goes to standard output.
  std::string path() const;
  /// Waits until all of it is there. Errors: Io, when standard output did not take it.
  base::Result<> finish();

 private:
  explicit OutputPipe(Console& console) : m_console(console) {}
  void copy();

  Console& m_console;
  int m_read = -1;
  int m_write = -1;
  std::optional<base::Error> m_failure;  // written by the thread, read after it
  std::thread m_thread;
};

}  // namespace opscope::cli
