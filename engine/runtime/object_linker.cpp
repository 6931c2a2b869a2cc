// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/object_linker.h"

#include <elf.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <vector>

#include "engine/runtime/child_process.h"
#include "engine/runtime/elf_image.h"
#include "engine/runtime/gzip.h"
#include "engine/runtime/tar_reader.h"

namespace opscope::runtime {

using base::Error;
using base::ErrorCode;
using base::Result;

namespace {

constexpr std::string_view kArchiveMagic = "!<arch>\n";
constexpr std::chrono::seconds kLinkLimit{120};
constexpr std::size_t kMostWordBytes = 4000;
constexpr const char* kExportHint = "or export the library with a name that ends in .so";

bool isObject(std::string_view bytes) {
  Elf64_Ehdr header;
  if (bytes.size() < sizeof(header) || !bytes.starts_with(ELFMAG)) {
    return false;
  }
  std::memcpy(&header, bytes.data(), sizeof(header));
  return header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB &&
         header.e_type == ET_REL;
}

bool isStaticArchive(std::string_view bytes) {
  return bytes.starts_with(kArchiveMagic);
}

/// A new folder that only this user can enter, deleted with all that is in it.
class PrivateFolder {
 public:
  static Result<PrivateFolder> make() {
    std::error_code ignored;
    const std::filesystem::path base = std::filesystem::temp_directory_path(ignored);
    std::string path = (base.empty() ? "/tmp" : base.string()) + "/opscope-link-XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) {
      return Error{ErrorCode::Io, "a temporary folder could not be made: " + path, std::strerror(errno),
                   "make some space, or name another folder in TMPDIR"};
    }
    return PrivateFolder(path);
  }
  PrivateFolder(PrivateFolder&& other) noexcept : m_path(std::exchange(other.m_path, {})) {}
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  PrivateFolder& operator=(PrivateFolder&&) = delete;
  ~PrivateFolder() {
    if (!m_path.empty()) {
      std::error_code ignored;
      std::filesystem::remove_all(m_path, ignored);
    }
  }

  std::string file(const std::string& name) const { return m_path + "/" + name; }

  Result<std::string> write(const std::string& name, std::string_view bytes) const {
    std::ofstream stream(file(name), std::ios::binary);
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    stream.close();
    if (!stream) {
      return Error{ErrorCode::Io, "writing " + file(name) + " failed", std::strerror(errno),
                   "make some space, or name another folder in TMPDIR"};
    }
    return file(name);
  }

 private:
  explicit PrivateFolder(std::string path) : m_path(std::move(path)) {}
  std::string m_path;
};

/// One part that the linker is given.
struct LinkInput {
  std::string name;  ///< for messages
  std::string_view bytes;
};

Error withoutObjects(const std::string& file, const std::vector<TarEntry>& entries) {
  std::string names;
  for (const TarEntry& entry : entries) {
    names += (names.empty() ? "" : ", ") + entry.name;
  }
  return {ErrorCode::Format, file + ": the archive holds no object files",
          "it holds " + (names.empty() ? std::string("nothing") : names.substr(0, 500)),
          "export a library with export_library of TVM"};
}

Result<std::vector<LinkInput>> inputsOfTar(std::string_view bytes, const std::string& file) {
  OPSCOPE_TRY_ASSIGN(const std::vector<TarEntry> entries, readTar(bytes, file));
  std::vector<LinkInput> inputs;
  for (const TarEntry& entry : entries) {
    if (isObject(entry.bytes) || isStaticArchive(entry.bytes)) {
      inputs.push_back({entry.name, entry.bytes});
    } else if (entry.name.ends_with(".c") || entry.name.ends_with(".cc") || entry.name.ends_with(".cu")) {
      return Error{ErrorCode::Unsupported, file + " holds sources (" + entry.name + "), not compiled code",
                   "compiling them needs the headers of TVM and of the model's target",
                   "export the library with a name that ends in .so"};
    }
  }
  if (inputs.empty()) {
    return withoutObjects(file, entries);
  }
  return inputs;
}

Result<> checkObject(const LinkInput& input, const std::string& file) {
  Elf64_Ehdr header;
  std::memcpy(&header, input.bytes.data(), sizeof(header));
#if defined(__x86_64__)
  constexpr std::uint16_t kOurs = EM_X86_64;
#else
  constexpr std::uint16_t kOurs = EM_AARCH64;
#endif
  if (header.e_machine == kOurs) {
    return {};
  }
  return Error{ErrorCode::Unsupported,
               file + " holds objects for another architecture than this computer's, " +
                   std::string(hostArchitecture()),
               input.name + " is for ELF machine number " + std::to_string(header.e_machine),
               "link it where it is to run: use export_library of TVM with a name that ends in .so"};
}

// ---- the compiler ----

std::vector<std::string> wordsOf(const char* text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    words.push_back(word);
  }
  return words;
}

bool isInPath(const std::string& program) {
  const char* path = ::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (::access(((folder.empty() ? "." : folder) + "/" + program).c_str(), X_OK) == 0) {
      return true;
    }
  }
  return false;
}

/// The words that start the compiler; empty when there is none.
std::vector<std::string> findCompiler() {
  for (const char* variable : {"CXX", "CC"}) {
    const char* value = ::getenv(variable);
    const std::vector<std::string> words = wordsOf(value == nullptr ? "" : value);
    if (!words.empty()) {
      return words;
    }
  }
  for (const char* program : {"c++", "g++", "clang++", "cc", "gcc", "clang"}) {
    if (isInPath(program)) {
      return {program};
    }
  }
  return {};
}

Error noCompiler(const std::string& file, const std::string& detail) {
  return {
      ErrorCode::Unsupported, file + " must be linked first, and there is no compiler here that could",
      detail,
      std::string("install one (Debian, Ubuntu: apt install g++), name one in CXX or CC, ") + kExportHint};
}

std::string tail(const std::string& text) {
  return text.size() <= kMostWordBytes ? text : "…" + text.substr(text.size() - kMostWordBytes);
}

/// Runs the compiler; the library is at `output` then.
Result<> link(const std::vector<std::string>& objects, const std::string& output, const std::string& file) {
  std::vector<std::string> words = findCompiler();
  if (words.empty()) {
    return noCompiler(file, "neither c++, g++, clang++, cc, gcc nor clang is in PATH");
  }
  const std::string compiler = words[0];
  words.insert(words.end(), {"-shared", "-fPIC", "-o", output, "-Wl,--whole-archive"});
  words.insert(words.end(), objects.begin(), objects.end());
  words.insert(words.end(), {"-Wl,--no-whole-archive", "-lm"});
  Result<ChildOutcome> ran = runChild(words, kLinkLimit);
  if (!ran) {
    return ran.error().code == ErrorCode::NotFound ? noCompiler(file, ran.error().message)
                                                   : std::move(ran).error();
  }
  if (ran->timedOut) {
    return Error{ErrorCode::Timeout,
                 file + ": linking took more than " + std::to_string(kLinkLimit.count()) + " s",
                 tail(ran->output), std::string("link it by hand, ") + kExportHint};
  }
  if (!ran->succeeded) {
    return Error{ErrorCode::Io, file + " could not be linked: " + compiler + " failed (" + ran->how + ")",
                 tail(ran->output), std::string("link it by hand, ") + kExportHint};
  }
  return {};
}

Result<std::vector<LinkInput>> inputsOf(std::string_view bytes, const std::string& file) {
  std::vector<LinkInput> inputs{{file, bytes}};
  if (isTar(bytes)) {
    OPSCOPE_TRY_ASSIGN(inputs, inputsOfTar(bytes, file));
  }
  for (const LinkInput& input : inputs) {
    if (isObject(input.bytes)) {
      OPSCOPE_TRY(checkObject(input, file));
    }
  }
  return inputs;
}

}  // namespace

bool isLinkable(std::string_view bytes) {
  return isTar(bytes) || isGzip(bytes) || isStaticArchive(bytes) || isObject(bytes);
}

Result<std::shared_ptr<const LibraryBytes>> linkObjects(std::string_view bytes, const std::string& file) {
  std::string unpacked;
  if (isGzip(bytes)) {
    OPSCOPE_TRY_ASSIGN(unpacked, unpackGzip(bytes, file));
    bytes = unpacked;
    if (!isLinkable(bytes) || isGzip(bytes)) {
      return Error{ErrorCode::Format, file + " is compressed with gzip, and what is in it is no library",
                   "expected a tar archive as export_library of TVM writes it, or an object",
                   "unpack it and open the library inside"};
    }
  }
  OPSCOPE_TRY_ASSIGN(const std::vector<LinkInput> inputs, inputsOf(bytes, file));
  OPSCOPE_TRY_ASSIGN(const PrivateFolder folder, PrivateFolder::make());
  std::vector<std::string> objects;
  for (const LinkInput& input : inputs) {
    const char* ending = isStaticArchive(input.bytes) ? ".a" : ".o";
    // Names of our own: those in the archive mean nothing to the linker.
    OPSCOPE_TRY_ASSIGN(std::string path, folder.write(std::to_string(objects.size()) + ending, input.bytes));
    objects.push_back(std::move(path));
  }
  const std::string output = folder.file("linked.so");
  OPSCOPE_TRY(link(objects, output, file));
  return LibraryBytes::read(output);
}

}  // namespace opscope::runtime
