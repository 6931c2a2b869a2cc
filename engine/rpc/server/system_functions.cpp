// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/server/system_functions.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "engine/base/atomic_file.h"
#include "engine/base/log.h"
#include "engine/rpc/server/raising.h"
#include "engine/rpc/server/uploaded_library.h"
#include "engine/runtime/cpu_topology.h"

namespace opscope::rpc::server {

namespace ffi = tvm::ffi;
namespace fs = std::filesystem;

namespace {

std::string_view viewOf(const ffi::String& text) {
  return {text.data(), text.size()};
}

/// Bytes in whichever way they came, where they are.
std::string_view bytesIn(ffi::AnyView value) {
  if (value.type_index() == ffi::TypeIndex::kTVMFFIByteArrayPtr) {
    const auto* bytes = static_cast<const TVMFFIByteArray*>(value.CopyToTVMFFIAny().v_ptr);
    return {bytes->data, bytes->size};
  }
  throw ffi::Error("TypeError", fmt::format("expected bytes, got {}", value.GetTypeKey()), "");
}

void expectCount(ffi::PackedArgs arguments, int count, const char* name) {
  if (arguments.size() != count) {
    throw ffi::Error("TypeError",
                     fmt::format("{} takes {} arguments, {} came", name, count, arguments.size()), "");
  }
}

/// Under its name when it is whole. Not forced to the disk: it is gone with the session.
void writeUpload(const fs::path& path, std::string_view bytes) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  const fs::path part = path.string() + ".part";
  const int descriptor = ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  bool written = descriptor >= 0;
  while (written && !bytes.empty()) {
    const ssize_t now = ::write(descriptor, bytes.data(), bytes.size());
    written = now > 0 || (now < 0 && errno == EINTR);
    bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(now, 0)));
  }
  written = written && ::rename(part.c_str(), path.c_str()) == 0;
  const int code = errno;
  if (descriptor >= 0) {
    ::close(descriptor);
  }
  if (!written) {
    ::unlink(part.c_str());
    raise({base::ErrorCode::Io,
           fmt::format("{} cannot be written: {}", path.filename().string(), std::strerror(code)),
           {},
           {}});
  }
}

ffi::Bytes readWhole(const fs::path& path) {
  return ffi::Bytes(orRaise(base::readFile(path)));
}

std::string listFolder(const fs::path& path) {
  std::string names;
  std::error_code error;
  for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
    names += (names.empty() ? "" : ",") + at->path().filename().string();
  }
  if (error) {
    raise({base::ErrorCode::Io,
           fmt::format("{} cannot be listed: {}", path.filename().string(), error.message()),
           {},
           {}});
  }
  return names;
}

}  // namespace

SystemFunctions::SystemFunctions(WorkDirectory directory, Settings settings)
    : m_directory(std::move(directory)),
      m_settings(std::move(settings)),
      m_cache(m_settings.cacheDirectory, m_directory.path(), m_settings.cacheBytes) {
  addFileFunctions();
  addModuleFunctions();
  addUploadFunctions();
  addThreadFunctions();
  add("opscope.server_info", [this] { return ffi::String(m_settings.describe()); });
}

SystemFunctions::~SystemFunctions() {
  for (const char* name : m_names) {
    ffi::Function::RemoveGlobal(name);
  }
}

template <class F>
void SystemFunctions::add(const char* name, F&& function) {
  if constexpr (std::is_invocable_v<F, ffi::PackedArgs, ffi::Any*>) {
    ffi::Function::SetGlobal(name, ffi::Function::FromPacked(std::forward<F>(function)), /*override=*/true);
  } else {
    ffi::Function::SetGlobal(name, ffi::Function::FromTyped(std::forward<F>(function), name),
                             /*override=*/true);
  }
  m_names.push_back(name);
}

void SystemFunctions::addFileFunctions() {
  add("tvm.rpc.server.upload", [this](ffi::PackedArgs arguments, ffi::Any*) {
    expectCount(arguments, 2, "upload");
    const fs::path path = orRaise(m_directory.resolve(viewOf(arguments[0].cast<ffi::String>())));
    if (const auto bytes = arguments[1].as<ffi::Bytes>()) {
      return writeUpload(path, {bytes->data(), bytes->size()});
    }
    writeUpload(path, bytesIn(arguments[1]));
  });
  add("tvm.rpc.server.download",
      [this](const ffi::String& name) { return readWhole(orRaise(m_directory.resolve(viewOf(name)))); });
  add("tvm.rpc.server.remove", [this](const ffi::String& name) {
    const fs::path path = orRaise(m_directory.resolve(viewOf(name)));
    std::error_code error;
    if (path == m_directory.path() || !fs::remove(path, error)) {
      raise({base::ErrorCode::Io,
             fmt::format("{} cannot be removed: {}", viewOf(name),
                         error ? error.message() : "there is no such file"),
             {},
             {}});
    }
  });
  add("tvm.rpc.server.listdir", [this](const ffi::String& name) {
    const std::string_view path = viewOf(name).empty() ? "." : viewOf(name);
    return ffi::String(listFolder(orRaise(m_directory.resolve(path))));
  });
  add("tvm.rpc.server.workpath", [this](const ffi::String& name) {
    const std::string_view path = viewOf(name).empty() ? "." : viewOf(name);
    return ffi::String(orRaise(m_directory.resolve(path)).string());
  });
}

void SystemFunctions::addModuleFunctions() {
  add("tvm.rpc.server.load_module", [this](const ffi::String& name) {
    base::log(base::LogLevel::Info, fmt::format("loading {}", viewOf(name)));
    ffi::Module module = orRaise(loadUploaded(orRaise(m_directory.resolve(viewOf(name)))));
    m_settings.libraryLoaded();
    return module;
  });
  add("tvm.rpc.server.download_linked_module", [this](const ffi::String& name) {
    const auto linked = orRaise(linkUploaded(orRaise(m_directory.resolve(viewOf(name)))));
    return ffi::Bytes(linked->view().data(), linked->view().size());
  });
  add("tvm.rpc.server.ModuleGetFunction",
      [](const ffi::Module& parent, const ffi::String& name, bool queryImports) {
        return parent->GetFunction(name, queryImports);
      });
  add("tvm.rpc.server.ImportModule",
      [](const ffi::Module& parent, const ffi::Module& child) { parent->ImportModule(child); });
  const auto systemLibrary = ffi::Function::GetGlobal("ffi.SystemLib");
  if (m_settings.clientAbi == ClientAbi::Tvm021 && systemLibrary.has_value()) {
    add("runtime.SystemLib", [function = *systemLibrary](ffi::PackedArgs arguments, ffi::Any* result) {
      function.CallPacked(arguments, result);
    });
  }
}

void SystemFunctions::addThreadFunctions() {
  if (!m_settings.configureThreads) {
    return;
  }
  add("opscope.configure_threads", [this](std::int64_t threads, bool pin, std::int64_t spinUs) {
    constexpr std::int64_t kMostSpinUs = 10'000'000;
    if (threads < 0 || threads > runtime::kMaxThreads || spinUs < 0 || spinUs > kMostSpinUs) {
      raise({base::ErrorCode::InvalidArgument,
             fmt::format("{} threads for kernels that spin {} microseconds cannot be had", threads, spinUs),
             fmt::format("expected 0 (the board's default) to {} threads, and 0 to {} microseconds",
                         runtime::kMaxThreads, kMostSpinUs),
             {}});
    }
    runtime::RuntimeOptions options;
    options.threads = static_cast<int>(threads);
    options.pin = pin;
    options.spinUs = static_cast<int>(spinUs);
    orRaise(m_settings.configureThreads(options));
  });
}

void SystemFunctions::addUploadFunctions() {
  add("opscope.upload_begin", [this](const ffi::String& name, const ffi::String& hash, std::int64_t size) {
    const fs::path target = orRaise(m_directory.resolve(viewOf(name)));
    if (size < 0) {
      raise({base::ErrorCode::InvalidArgument,
             fmt::format("a file of {} bytes cannot be uploaded", size),
             {},
             {}});
    }
    return static_cast<std::int64_t>(
        orRaise(m_cache.begin(target, std::string(viewOf(hash)), static_cast<std::uint64_t>(size))));
  });
  add("opscope.upload_chunk", [this](ffi::PackedArgs arguments, ffi::Any* result) {
    expectCount(arguments, 3, "upload_chunk");
    const std::string hash(viewOf(arguments[0].cast<ffi::String>()));
    const auto offset = static_cast<std::uint64_t>(arguments[1].cast<std::int64_t>());
    const auto owned = arguments[2].as<ffi::Bytes>();
    const std::string_view bytes =
        owned.has_value() ? std::string_view(owned->data(), owned->size()) : bytesIn(arguments[2]);
    *result = static_cast<std::int64_t>(orRaise(m_cache.chunk(hash, offset, bytes)));
  });
  add("opscope.upload_finish", [this](const ffi::String& name, const ffi::String& hash) {
    return ffi::String(
        orRaise(m_cache.finish(orRaise(m_directory.resolve(viewOf(name))), std::string(viewOf(hash)))));
  });
}

}  // namespace opscope::rpc::server
