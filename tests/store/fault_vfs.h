// SPDX-License-Identifier: Apache-2.0
// A disk that becomes full, or fails, after some writes: SQLite's file system with its writing intercepted.
// One test at a time; lives as long as connections made meanwhile.
#pragma once

#include <sqlite3.h>

namespace opscope::store {

/// While it lives, connections that are opened write through it.
class FaultVfs {
 public:
  FaultVfs();
  ~FaultVfs();
  FaultVfs(const FaultVfs&) = delete;
  FaultVfs& operator=(const FaultVfs&) = delete;

  /// After so many more writes each one fails with `code`.
  void failAfter(int writes, int code);
  void work();
  /// Whether a write failed since failAfter.
  bool hasFailed() const;
};

}  // namespace opscope::store
