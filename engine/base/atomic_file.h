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

/// Holds whether writeFileAtomically could write `path` now, so that a long run does not end in an error.
/// Leaves nothing behind and does not touch `path`. Errors: as writeFileAtomically.
Result<> checkWritable(const std::filesystem::path& path);

/// Reads a regular file or pipe whole. A pipe that somebody writes to is read to its end; one that nobody
/// writes to is an error after two seconds. Errors: NotFound, Io (directories, devices, permissions), Format
/// when it holds more than `limit` bytes (told before any is read where the size is known), OutOfMemory.
Result<std::string> readFile(const std::filesystem::path& path, std::size_t limit = std::size_t{4} << 30);

/// The same into memory of its own, for files whose bytes stay.
Result<PageBuffer> readFilePages(const std::filesystem::path& path, std::size_t limit = std::size_t{4} << 30);

}  // namespace opscope::base
