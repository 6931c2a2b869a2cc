// SPDX-License-Identifier: Apache-2.0
// Uploaded files by the hash of their content, kept beyond sessions so that a library travels once, and an
// upload that broke off goes on where it stopped. The session's thread; several processes may share the
// folder.
//
// A file is uploaded by begin, any number of chunks, and finish. Its content is checked at the end, and again
// each time it is taken from the cache.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace opscope::rpc::server {

/// XXH3-128 as 32 hexadecimal digits, as xxh128sum prints it.
std::string fileHash(std::string_view bytes);

class UploadCache {
 public:
  /// As pwrite.
  using Write = std::function<ssize_t(int file, const void* bytes, std::size_t count, off_t offset)>;

  /// `folder` empty: nothing outlives the session; `scratch` then takes what is under way. When the files in
  /// the folder are more than `mostBytes` the oldest go. When the folder's disk is full, an upload goes on in
  /// `scratch` and is not kept. `write` is for tests of full disks.
  UploadCache(std::filesystem::path folder, std::filesystem::path scratch, std::uint64_t mostBytes,
              Write write = ::pwrite);
  ~UploadCache();
  UploadCache(const UploadCache&) = delete;
  UploadCache& operator=(const UploadCache&) = delete;

  /// How many bytes of this content are here: all of them means that `target` is there now. Errors:
  /// InvalidArgument for what is no hash or size; Io.
  base::Result<std::uint64_t> begin(const std::filesystem::path& target, const std::string& hash,
                                    std::uint64_t size);
  /// Adds bytes at `offset`, which is where the last chunk ended; gives where the next one goes. Errors:
  /// InvalidArgument for other offsets, uploads that did not begin and bytes beyond the size; Io.
  base::Result<std::uint64_t> chunk(const std::string& hash, std::uint64_t offset, std::string_view bytes);
  /// Checks the content and puts it to `target`. Gives why it is not kept beyond the session though it should
  /// be, in words; empty when nothing is amiss. Errors: InvalidArgument when bytes are missing or the content
  /// is another one (what came is dropped); Io.
  base::Result<std::string> finish(const std::filesystem::path& target, const std::string& hash);

 private:
  struct Upload {
    std::filesystem::path path;
    int descriptor = -1;  ///< locked: nobody else adds to this file
    std::uint64_t size = 0;
    std::uint64_t received = 0;
    std::string whyNotKept = {};
  };

  base::Result<Upload> openPartIn(const std::vector<std::filesystem::path>& places, std::uint64_t size) const;
  std::filesystem::path scratchPath(const std::string& hash) const;
  /// Writes all; the number of an error, or 0.
  int writeAll(Upload& upload, std::string_view bytes) const;
  bool moveToScratch(const std::string& hash, Upload& upload) const;
  std::filesystem::path finishedPath(const std::string& hash) const;
  bool takeFinished(const std::filesystem::path& target, const std::string& hash, std::uint64_t size) const;
  base::Result<Upload> openPart(const std::string& hash, std::uint64_t size) const;
  void drop(const std::string& hash, bool removeFile);
  void makeRoom() const;

  std::filesystem::path m_folder;
  std::string m_whyNoFolder;  ///< why there is none though one was wanted
  std::filesystem::path m_scratch;
  std::uint64_t m_mostBytes;
  Write m_write;
  std::map<std::string, Upload> m_uploads;
};

}  // namespace opscope::rpc::server
