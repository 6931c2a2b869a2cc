// SPDX-License-Identifier: Apache-2.0
// The global functions that clients expect of a server, and those of ours for our client:
//
//   tvm.rpc.server.{upload, download, remove, listdir, workpath, load_module, download_linked_module,
//     ModuleGetFunction, ImportModule}; runtime.SystemLib for clients of TVM 0.21
//   opscope.server_info() -> JSON text, see docs/server.md
//   opscope.upload_begin(name, hash, size) -> bytes that are here already; all of them: the file is in place
//   opscope.upload_chunk(hash, offset, bytes) -> offset of the next
//   opscope.upload_finish(name, hash) -> why the file is not kept for other sessions though it should be; ""
//
// Names of files are relative to the session's folder or lie in it. On the session's thread. Behaviour: seed
// 001's registrations and TVM's Python server.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/rpc/server/options.h"
#include "engine/rpc/server/upload_cache.h"
#include "engine/rpc/server/work_directory.h"
#include "engine/runtime/options.h"

namespace opscope::rpc::server {

class SystemFunctions {
 public:
  struct Settings {
    ClientAbi clientAbi = ClientAbi::Tvm022;
    std::string cacheDirectory;
    std::uint64_t cacheBytes = 0;
    std::function<void()> libraryLoaded;  ///< called after each load_module
    /// What opscope.configure_threads does; empty: there is no such function.
    std::function<base::Result<>(const runtime::RuntimeOptions&)> configureThreads{};
    std::function<std::string()> describe{};  ///< what opscope.server_info gives
  };

  /// Registers them; they are gone with this object.
  SystemFunctions(WorkDirectory directory, Settings settings);
  ~SystemFunctions();
  SystemFunctions(const SystemFunctions&) = delete;
  SystemFunctions& operator=(const SystemFunctions&) = delete;

 private:
  template <class F>
  void add(const char* name, F&& function);
  void addFileFunctions();
  void addModuleFunctions();
  void addUploadFunctions();
  void addThreadFunctions();

  WorkDirectory m_directory;
  Settings m_settings;
  UploadCache m_cache;
  std::vector<const char*> m_names;
};

}  // namespace opscope::rpc::server
