// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "engine/base/atomic_file.h"
#include "engine/runtime/elf_image.h"
#include "engine/runtime/ffi_error.h"
#include "engine/runtime/library.h"
#include "engine/runtime/trial_load.h"
#include "engine/runtime/unresolved_symbols.h"

namespace opscope::runtime {

using base::Error;
using base::ErrorCode;
using base::Result;

namespace {

constexpr const char* kInitName = "opscope_plugin_init";
using InitFunction = int (*)();

std::set<std::string> globalNames() {
  std::set<std::string> names;
  for (const tvm::ffi::String& name : tvm::ffi::Function::ListGlobalNames()) {
    names.emplace(name.data(), name.size());
  }
  return names;
}

std::vector<std::string> namesAdded(const std::set<std::string>& before) {
  const std::set<std::string> after = globalNames();
  std::vector<std::string> added;
  std::set_difference(after.begin(), after.end(), before.begin(), before.end(), std::back_inserter(added));
  return added;
}

Result<> callInit(void* handle, const std::string& name) {
  auto* init = reinterpret_cast<InitFunction>(dlsym(handle, kInitName));
  if (init == nullptr) {
    return {};
  }
  const std::string where = "plugin " + name;
  const Result<int> code = guarded(ErrorCode::KernelFailed, where, [init] { return init(); });
  if (!code) {
    return code.error();
  }
  if (*code == 0) {
    return {};
  }
  Error error = takeRaisedError(ErrorCode::KernelFailed, where);
  error.detail = std::string(kInitName) + " returned " + std::to_string(*code) +
                 (error.detail.empty() ? "" : "; " + error.detail);
  return error;
}

/// Checks the file and loads it. Null when it was loaded before.
Result<void*> openPlugin(const std::string& path) {
  OPSCOPE_TRY_ASSIGN(std::string content, base::readFile(path));
  OPSCOPE_TRY_ASSIGN(const ElfImage image,
                     ElfImage::parse(std::make_shared<const std::string>(std::move(content)), path));
  OPSCOPE_TRY(image.checkRunsHere());
  if (void* loaded = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD); loaded != nullptr) {
    dlclose(loaded);
    return nullptr;
  }
  OPSCOPE_TRY(trialLoad(path));
  // From its own path, so that it finds its libraries beside it and debuggers find its source.
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* message = dlerror();
    return loaderError(image, path, message != nullptr ? message : "nothing");
  }
  return handle;
}

Result<Plugin> load(const std::filesystem::path& path) {
  Plugin plugin{path, false, {}};
  const std::set<std::string> before = globalNames();
  OPSCOPE_TRY_ASSIGN(void* handle, openPlugin(path.string()));
  plugin.alreadyLoaded = handle == nullptr;
  if (plugin.alreadyLoaded) {
    return plugin;
  }
  const Result<> started = callInit(handle, path.filename().string());
  plugin.functions = namesAdded(before);
  if (!started) {
    // What it has registered would point into nothing if it were unloaded.
    if (plugin.functions.empty()) {
      dlclose(handle);
    }
    return started.error();
  }
  return plugin;
}

}  // namespace

Result<Plugin> loadPlugin(const std::filesystem::path& path) {
  std::error_code code;
  const std::filesystem::path absolute = std::filesystem::absolute(path, code);
  if (code || path.empty()) {
    return Error{ErrorCode::InvalidArgument, "'" + path.string() + "' is not the path of a plugin", {}, {}};
  }
  return guarded(ErrorCode::KernelFailed, "plugin " + path.filename().string(),
                 [&absolute] { return load(absolute); });
}

}  // namespace opscope::runtime
