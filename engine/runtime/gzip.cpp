// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <memory>

namespace opscope::runtime {

using base::Error;
using base::ErrorCode;

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 18;
constexpr int kGzipOnly = 16 + MAX_WBITS;

Error damaged(const std::string& file, const char* why) {
  return {ErrorCode::Format, file + " is damaged: it cannot be unpacked", std::string("gzip: ") + why,
          "export the library again"};
}

}  // namespace

bool isGzip(std::string_view bytes) {
  return bytes.starts_with("\x1F\x8B\x08");
}

base::Result<std::string> unpackGzip(std::string_view bytes, const std::string& file, std::size_t limit) {
  z_stream stream{};
  if (inflateInit2(&stream, kGzipOnly) != Z_OK) {
    return Error{ErrorCode::OutOfMemory, file + " cannot be unpacked: memory is out", {}, {}};
  }
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, inflateEnd);
  std::string unpacked;
  std::size_t size = 0;
  while (true) {
    if (stream.avail_in == 0) {
      const std::size_t part = std::min<std::size_t>(bytes.size(), std::numeric_limits<int>::max());
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      stream.avail_in = static_cast<uInt>(part);
      bytes.remove_prefix(part);
    }
    unpacked.resize(size + kChunk);
    stream.next_out = reinterpret_cast<Bytef*>(unpacked.data() + size);
    stream.avail_out = static_cast<uInt>(kChunk);
    const int status = inflate(&stream, Z_NO_FLUSH);
    size += kChunk - stream.avail_out;
    if (size > limit) {
      return Error{
          ErrorCode::Format, file + " unpacks to more than " + std::to_string(limit) + " bytes", {}, {}};
    }
    if (status == Z_STREAM_END) {
      if (stream.avail_in == 0 && bytes.empty()) {
        unpacked.resize(size);
        return unpacked;
      }
      inflateReset(&stream);  // another member follows
      continue;
    }
    const bool isCut = stream.avail_in == 0 && bytes.empty() && stream.avail_out != 0;
    if ((status != Z_OK && status != Z_BUF_ERROR) || isCut) {
      return damaged(file, isCut ? "it ends too early" : stream.msg != nullptr ? stream.msg : "wrong data");
    }
  }
}

}  // namespace opscope::runtime
