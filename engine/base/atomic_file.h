// SPDX-License-Identifier: Apache-2.0
// Whole files in and out. Any thread.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "engine/base/page_buffer.h"
#include "engine/base/result.h"

namespace opscope::base {

/// Writes `content` to a temporary file beside `path` and renames it over `path`, so that readers see the old
/// file or the new one and never a part. Devices and pipes ("/dev/stdout") are written directly. Errors: Io,
/// naming path and cause; the temporary file is removed.
Result<> writeFileAtomically(const std::filesystem::path& path, std::string_view content);

/// The same for content that comes piece by piece: it is under its name after `commit`, and gone without it.
/// One thread at a time; owns the temporary file.
class AtomicFileWriter {
 public:
  /// Errors: as writeFileAtomically.
  static Result<AtomicFileWriter> create(const std::filesystem::path& path);
  AtomicFileWriter(AtomicFileWriter&& other) noexcept;
  AtomicFileWriter& operator=(AtomicFileWriter&& other) noexcept;
  ~AtomicFileWriter();

  /// Appends. Errors: Io.
  Result<> write(std::string_view bytes);
  /// Brings the file to the disk and to its name. Last; errors: Io, and the temporary file is removed.
  Result<> commit();

 private:
  AtomicFileWriter() = default;
  void discard();

  std::filesystem::path m_path;    // as asked for, for messages
  std::filesystem::path m_target;  // links followed
  std::string m_temporary;         // empty: written directly
  int m_descriptor = -1;
  unsigned m_mode = 0;
};

/// Holds whether writeFileAtomically could write `path` now, so that a long run does not end in an error.
/// Leaves nothing behind and does not touch `path`. Errors: as writeFileAtomically.
Result<> checkWritable(const std::filesystem::path& path);

/// Reads a regular file or pipe whole. A pipe that somebody writes to is read to its end; one that nobody
/// writes to is an error after two seconds. Errors: NotFound, Io (directories, devices, permissions), Format
/// when it holds more than `limit` bytes (told before any is read where the size is known), OutOfMemory.
Result<std::string> readFile(const std::filesystem::path& path, std::size_t limit = std::size_t{4} << 30);

/// What to do about a file that is not there: advice where its name has a character that stands for bytes
/// that are no UTF-8 (the window's names are text and cannot hold them), else "".
std::string missingFileHint(const std::filesystem::path& path);

/// The same as readFile into memory of its own, for files whose bytes stay.
Result<PageBuffer> readFilePages(const std::filesystem::path& path, std::size_t limit = std::size_t{4} << 30);

}  // namespace opscope::base
