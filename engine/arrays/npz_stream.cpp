// SPDX-License-Identifier: Apache-2.0
#include "engine/arrays/npz_stream.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

#include "engine/arrays/npy.h"

namespace opscope::arrays {

namespace {

constexpr std::uint32_t kLocalHeader = 0x04034b50;
constexpr std::uint32_t kDirectoryHeader = 0x02014b50;
constexpr std::uint32_t kEnd64 = 0x06064b50;
constexpr std::uint32_t kEnd64Locator = 0x07064b50;
constexpr std::uint32_t kEnd = 0x06054b50;
constexpr std::uint16_t kUtf8Names = 1 << 11;
/// 1980-01-01, the earliest day that zip knows, as numpy writes it.
constexpr std::uint16_t kDosDate = 1 << 5 | 1;
/// What a field holds when the real number stands in the zip64 part.
constexpr std::uint32_t kIn64 = 0xFFFFFFFF;
constexpr std::uint16_t kCountIn64 = 0xFFFF;
constexpr std::uint16_t kZip64Id = 1;

/// A record of little-endian fields.
class Record {
 public:
  Record& u16(std::uint64_t value) { return put(value, 2); }
  Record& u32(std::uint64_t value) { return put(value, 4); }
  Record& u64(std::uint64_t value) { return put(value, 8); }
  Record& text(std::string_view text) {
    m_bytes += text;
    return *this;
  }
  const std::string& bytes() const { return m_bytes; }

 private:
  Record& put(std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) {
      m_bytes += static_cast<char>(value >> (8 * i) & 0xFF);
    }
    return *this;
  }
  std::string m_bytes;
};

std::uint16_t versionFor(bool is64) {
  return is64 ? 45 : 20;
}

std::uint32_t checksumOf(std::uint32_t before, const void* data, std::size_t size) {
  const auto* bytes = static_cast<const Bytef*>(data);
  while (size > 0) {
    const auto part = static_cast<uInt>(std::min<std::size_t>(size, 1U << 30));
    before = static_cast<std::uint32_t>(crc32(before, bytes, part));
    bytes += part;
    size -= part;
  }
  return before;
}

}  // namespace

base::Result<NpzStreamWriter> NpzStreamWriter::create(const std::filesystem::path& path) {
  OPSCOPE_TRY_ASSIGN(base::AtomicFileWriter file, base::AtomicFileWriter::create(path));
  return NpzStreamWriter(std::move(file), path);
}

base::Result<> NpzStreamWriter::write(std::string_view bytes) {
  OPSCOPE_TRY(m_file.write(bytes));
  m_offset += bytes.size();
  return {};
}

base::Result<> NpzStreamWriter::checkKey(const std::string& key) {
  constexpr std::size_t kLongestKey = 60'000;  // with ".npy" in 16 bits
  const char* problem = key.empty()                           ? "an array has no name"
                        : key.find('\0') != std::string::npos ? "a name holds a zero byte"
                        : key.size() > kLongestKey            ? "a name is too long"
                        : !m_keys.insert(key).second          ? "two arrays have the same name"
                                                              : nullptr;
  if (problem != nullptr) {
    return base::Error{base::ErrorCode::InvalidArgument,
                       fmt::format("Cannot write {}: {} (\"{}\")", m_path.string(), problem,
                                   key.substr(0, std::min<std::size_t>(key.find('\0'), 80))),
                       {},
                       {}};
  }
  return {};
}

base::Result<> NpzStreamWriter::add(const std::string& key, ElementType type,
                                    std::span<const std::int64_t> shape, std::span<const std::byte> data) {
  OPSCOPE_TRY_ASSIGN(const std::size_t wanted, byteCount(type, shape));
  if (wanted != data.size()) {
    return base::Error{base::ErrorCode::InvalidArgument,
                       fmt::format("{}, array {}: {} {} takes {} bytes, not {}.", m_path.string(), key,
                                   elementTypeName(type), shapeText(shape), wanted, data.size()),
                       {},
                       {}};
  }
  OPSCOPE_TRY(checkKey(key));
  const std::string header = npyHeader(type, shape);
  Entry entry;
  entry.name = key + ".npy";
  entry.size = header.size() + data.size();
  entry.offset = m_offset;
  entry.checksum = checksumOf(checksumOf(0, header.data(), header.size()), data.data(), data.size());
  const bool is64 = entry.size >= kIn64;
  Record local;
  local.u32(kLocalHeader).u16(versionFor(is64)).u16(kUtf8Names).u16(0).u16(0).u16(kDosDate);
  local.u32(entry.checksum).u32(is64 ? kIn64 : entry.size).u32(is64 ? kIn64 : entry.size);
  local.u16(entry.name.size()).u16(is64 ? 20 : 0).text(entry.name);
  if (is64) {
    local.u16(kZip64Id).u16(16).u64(entry.size).u64(entry.size);
  }
  OPSCOPE_TRY(write(local.bytes() + header));
  OPSCOPE_TRY(write({reinterpret_cast<const char*>(data.data()), data.size()}));
  m_entries.push_back(std::move(entry));
  return {};
}

base::Result<> NpzStreamWriter::finish() {
  const std::uint64_t begin = m_offset;
  for (const Entry& entry : m_entries) {
    const bool is64 = entry.size >= kIn64 || entry.offset >= kIn64;
    Record record;
    record.u32(kDirectoryHeader).u16(versionFor(is64)).u16(versionFor(is64)).u16(kUtf8Names).u16(0);
    record.u16(0).u16(kDosDate).u32(entry.checksum);
    record.u32(is64 ? kIn64 : entry.size).u32(is64 ? kIn64 : entry.size);
    record.u16(entry.name.size()).u16(is64 ? 28 : 0).u16(0).u16(0).u16(0).u32(0);
    record.u32(is64 ? kIn64 : entry.offset).text(entry.name);
    if (is64) {
      record.u16(kZip64Id).u16(24).u64(entry.size).u64(entry.size).u64(entry.offset);
    }
    OPSCOPE_TRY(write(record.bytes()));
  }
  const std::uint64_t end = m_offset;
  const std::uint64_t count = m_entries.size();
  const bool is64 = end >= kIn64 || count >= kCountIn64;
  Record tail;
  if (is64) {
    tail.u32(kEnd64).u64(44).u16(45).u16(45).u32(0).u32(0).u64(count).u64(count).u64(end - begin).u64(begin);
    tail.u32(kEnd64Locator).u32(0).u64(end).u32(1);
  }
  tail.u32(kEnd).u16(0).u16(0).u16(is64 ? kCountIn64 : count).u16(is64 ? kCountIn64 : count);
  tail.u32(is64 ? kIn64 : end - begin).u32(is64 ? kIn64 : begin).u16(0);
  OPSCOPE_TRY(write(tail.bytes()));
  return m_file.commit();
}

}  // namespace opscope::arrays
