// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>

#include "engine/arrays/npy.h"
#include "engine/arrays/npz.h"
#include "engine/base/atomic_file.h"
#include "engine/base/held_file.h"
#include "engine/base/near_match.h"

namespace opscope::arrays {

namespace {

using base::Error;
using base::ErrorCode;
using base::Result;

constexpr std::string_view kSuffix = ".npy";
/// Deflate cannot make more than 1032 bytes out of one; a little is added for empty blocks.
constexpr std::uint64_t kDeflateRatio = 1040;

struct CloseArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseEntry {
  void operator()(zip_file_t* entry) const { zip_fclose(entry); }
};
using Entry = std::unique_ptr<zip_file_t, CloseEntry>;

Error openError(const std::filesystem::path& path, int code, int systemCode) {
  if (code == ZIP_ER_NOENT) {
    return {ErrorCode::NotFound,
            "Cannot read " + path.string() + ": " + std::strerror(ENOENT),
            {},
            base::missingFileHint(path)};
  }
  if (code == ZIP_ER_OPEN || code == ZIP_ER_READ || code == ZIP_ER_SEEK) {
    return {ErrorCode::Io, "Cannot read " + path.string() + ": " + std::strerror(systemCode), {}, {}};
  }
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  std::string detail = zip_error_strerror(&error);
  zip_error_fini(&error);
  return {ErrorCode::Format, path.string() + ": not a valid .npz file.",
          "Needs a zip archive of .npy arrays. The reader says: " + detail + ".",
          "Write it again with numpy.savez."};
}

Error entryError(const std::string& place, std::string detail) {
  return {ErrorCode::Format, place + ": the archive is damaged.", std::move(detail),
          "Write the file again with numpy.savez."};
}

/// Reads exactly `size` bytes; the error text of the archive otherwise.
Result<> readExactly(zip_file_t* entry, char* to, std::size_t size, const std::string& place) {
  std::size_t done = 0;
  while (done < size) {
    const zip_int64_t got = zip_fread(entry, to + done, size - done);
    if (got < 0) {
      return entryError(place,
                        fmt::format("The reader says: {}.", zip_error_strerror(zip_file_get_error(entry))));
    }
    if (got == 0) {
      return entryError(place, fmt::format("It ends after {} of {} bytes.", done, size));
    }
    done += static_cast<std::size_t>(got);
  }
  return {};
}

/// The checksum is compared when the end is read.
Result<> expectEnd(zip_file_t* entry, const std::string& place) {
  char extra = 0;
  const zip_int64_t got = zip_fread(entry, &extra, 1);
  if (got < 0) {
    return entryError(place,
                      fmt::format("The reader says: {}.", zip_error_strerror(zip_file_get_error(entry))));
  }
  if (got > 0) {
    return entryError(place, "It holds more bytes than its directory says.");
  }
  return {};
}

/// Holds the size that the directory claims against the bytes that are there, before memory is taken.
Result<std::uint64_t> checkedSize(const zip_stat_t& info, std::uint64_t fileBytes, const std::string& place) {
  constexpr zip_uint64_t kNeeded = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
  if ((info.valid & kNeeded) != kNeeded) {
    return entryError(place, "The directory does not tell its size.");
  }
  if ((info.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && info.encryption_method != ZIP_EM_NONE) {
    return Error{
        ErrorCode::Unsupported, place + ": the array is encrypted.", {}, "Write it without a password."};
  }
  if (info.comp_method != ZIP_CM_STORE && info.comp_method != ZIP_CM_DEFLATE) {
    return Error{ErrorCode::Unsupported,
                 fmt::format("{}: compression method {} is not known.", place, info.comp_method),
                 "Needs stored or deflated arrays.",
                 "Write it again with numpy.savez or numpy.savez_compressed."};
  }
  const bool stored = info.comp_method == ZIP_CM_STORE;
  const std::uint64_t most = stored ? info.comp_size : info.comp_size * kDeflateRatio;
  if (info.comp_size > fileBytes || info.size > most || (stored && info.size != info.comp_size)) {
    return entryError(place, fmt::format("The directory says {} bytes, packed {}. The file has {}.",
                                         info.size, info.comp_size, fileBytes));
  }
  return info.size;
}

struct OpenEntry {
  Entry entry;
  std::uint64_t size = 0;
  std::string place;
};

}  // namespace

struct NpzReader::Impl {
  std::filesystem::path path;
  std::uint64_t fileBytes = 0;
  std::unique_ptr<zip_t, CloseArchive> archive;
  std::vector<std::string> keys;
  std::map<std::string, zip_uint64_t, std::less<>> indices;

  std::string place(std::string_view key) const { return fmt::format("{}, array {}", path.string(), key); }
  Result<> readDirectory();
  Result<OpenEntry> openEntry(std::string_view key) const;
};

Result<> NpzReader::Impl::readDirectory() {
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* rawName = zip_get_name(archive.get(), static_cast<zip_uint64_t>(i), 0);
    if (rawName == nullptr) {
      return entryError(path.string(), fmt::format("The name of entry {} cannot be read.", i));
    }
    std::string_view name = rawName;
    if (name.ends_with("/")) {
      continue;  // A folder, as zip tools add them.
    }
    if (name.ends_with(kSuffix)) {
      name.remove_suffix(kSuffix.size());
    }
    if (!indices.emplace(name, static_cast<zip_uint64_t>(i)).second) {
      return entryError(path.string(), fmt::format("It holds two arrays called \"{}\".", name));
    }
    keys.emplace_back(name);
  }
  return {};
}

NpzReader::NpzReader(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
NpzReader::NpzReader(NpzReader&&) noexcept = default;
NpzReader& NpzReader::operator=(NpzReader&&) noexcept = default;
NpzReader::~NpzReader() = default;

Result<NpzReader> NpzReader::open(const std::filesystem::path& path) {
  auto impl = std::make_unique<Impl>();
  impl->path = path;
  std::error_code failure;
  if (std::filesystem::is_directory(path, failure)) {
    return openError(path, ZIP_ER_READ, EISDIR);
  }
  impl->fileBytes = std::filesystem::file_size(path, failure);
  if (failure) {
    const bool missing = failure == std::errc::no_such_file_or_directory;
    return openError(path, missing ? ZIP_ER_NOENT : ZIP_ER_READ, failure.value());
  }
  OPSCOPE_TRY(base::checkNotHeld(path));
  int code = 0;
  errno = 0;
  impl->archive.reset(zip_open(path.c_str(), ZIP_RDONLY, &code));
  if (!impl->archive) {
    return openError(path, code, errno);
  }
  OPSCOPE_TRY(impl->readDirectory());
  return NpzReader(std::move(impl));
}

const std::vector<std::string>& NpzReader::keys() const {
  return m_impl->keys;
}

bool NpzReader::has(std::string_view key) const {
  return m_impl->indices.find(key) != m_impl->indices.end();
}

const std::filesystem::path& NpzReader::path() const {
  return m_impl->path;
}

base::Error noSuchArray(const std::filesystem::path& path, std::string_view key,
                        const std::vector<std::string>& keys) {
  const std::string near = base::nearMatch(key, keys);
  return Error{ErrorCode::NotFound, fmt::format("{} holds no array \"{}\".", path.string(), key),
               fmt::format("It holds {}.", base::joinNames(keys)),
               near.empty() ? "" : fmt::format("Did you mean \"{}\"?", near)};
}

Result<OpenEntry> NpzReader::Impl::openEntry(std::string_view key) const {
  const auto found = indices.find(key);
  if (found == indices.end()) {
    return noSuchArray(path, key, keys);
  }
  OpenEntry opened;
  opened.place = place(key);
  zip_stat_t info;
  zip_stat_init(&info);
  if (zip_stat_index(archive.get(), found->second, 0, &info) != 0) {
    return entryError(opened.place, fmt::format("The reader says: {}.", zip_strerror(archive.get())));
  }
  OPSCOPE_TRY_ASSIGN(opened.size, checkedSize(info, fileBytes, opened.place));
  opened.entry.reset(zip_fopen_index(archive.get(), found->second, 0));
  if (!opened.entry) {
    return entryError(opened.place, fmt::format("The reader says: {}.", zip_strerror(archive.get())));
  }
  return opened;
}

Result<NpyHeader> NpzReader::readHeader(std::string_view key) const {
  OPSCOPE_TRY_ASSIGN(const OpenEntry opened, m_impl->openEntry(key));
  const auto read = [&opened](char* to, std::size_t size) {
    return readExactly(opened.entry.get(), to, size, opened.place);
  };
  return readNpyHeader(read, opened.size, opened.place);
}

Result<Array> NpzReader::read(std::string_view key) const {
  OPSCOPE_TRY_ASSIGN(const OpenEntry opened, m_impl->openEntry(key));
  const auto& [entry, size, place] = opened;
  std::string begin(std::min<std::uint64_t>(size, kNpyHeaderLimit), '\0');
  OPSCOPE_TRY(readExactly(entry.get(), begin.data(), begin.size(), place));
  OPSCOPE_TRY_ASSIGN(const NpyHeader header, parseNpyHeader(begin, size, place));
  OPSCOPE_TRY_ASSIGN(Bytes bytes, Bytes::allocate(header.dataBytes));
  const std::string_view first = std::string_view(begin).substr(header.dataOffset);
  if (!first.empty()) {
    std::memcpy(bytes.data(), first.data(), first.size());
  }
  OPSCOPE_TRY(readExactly(entry.get(), reinterpret_cast<char*>(bytes.data()) + first.size(),
                          header.dataBytes - first.size(), place));
  OPSCOPE_TRY(expectEnd(entry.get(), place));
  return arrayFromNpyData(header, std::move(bytes));
}

}  // namespace opscope::arrays
