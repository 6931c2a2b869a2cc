// SPDX-License-Identifier: Apache-2.0
#include "tests/store/fault_vfs.h"

#include <deque>

namespace opscope::store {

namespace {

/// SQLite finds these by function pointers without a context, so they are global, for this test program.
struct State {
  sqlite3_vfs* real = nullptr;
  sqlite3_vfs ours{};
  int left = -1;  // -1: all writes work
  int code = SQLITE_OK;
  bool failed = false;
};
State state;

/// The methods of a file with writing replaced, and the ones it came with.
struct Patched {
  sqlite3_io_methods methods{};
  const sqlite3_io_methods* original = nullptr;
};
std::deque<Patched> patches;

const sqlite3_io_methods* originalOf(const sqlite3_file* file) {
  return reinterpret_cast<const Patched*>(file->pMethods)->original;
}

bool fails() {
  if (state.left < 0) return false;
  if (state.left > 0) {
    --state.left;
    return false;
  }
  state.failed = true;
  return true;
}

int writeFile(sqlite3_file* file, const void* data, int count, sqlite3_int64 offset) {
  return fails() ? state.code : originalOf(file)->xWrite(file, data, count, offset);
}

int syncFile(sqlite3_file* file, int flags) {
  return fails() ? (state.code == SQLITE_FULL ? SQLITE_FULL : SQLITE_IOERR_FSYNC)
                 : originalOf(file)->xSync(file, flags);
}

int openFile(sqlite3_vfs* /*vfs*/, const char* name, sqlite3_file* file, int flags, int* outFlags) {
  const int code = state.real->xOpen(state.real, name, file, flags, outFlags);
  if (file->pMethods == nullptr) return code;
  for (const Patched& patch : patches) {
    if (patch.original == file->pMethods) {
      file->pMethods = &patch.methods;
      return code;
    }
  }
  Patched& patch = patches.emplace_back();
  patch.original = file->pMethods;
  patch.methods = *file->pMethods;
  patch.methods.xWrite = writeFile;
  patch.methods.xSync = syncFile;
  file->pMethods = &patch.methods;
  return code;
}

}  // namespace

FaultVfs::FaultVfs() {
  state = State();
  state.real = sqlite3_vfs_find(nullptr);
  state.ours = *state.real;
  state.ours.zName = "opscope-fault";
  state.ours.xOpen = openFile;
  sqlite3_vfs_register(&state.ours, 1);
}

FaultVfs::~FaultVfs() {
  sqlite3_vfs_unregister(&state.ours);
  sqlite3_vfs_register(state.real, 1);
}

void FaultVfs::failAfter(int writes, int code) {
  state.left = writes;
  state.code = code;
  state.failed = false;
}

void FaultVfs::work() {
  state.left = -1;
}

bool FaultVfs::hasFailed() const {
  return state.failed;
}

}  // namespace opscope::store
