// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/byte_reader.h"

#include <fmt/format.h>

#include <bit>

namespace opscope::vm {

static_assert(std::endian::native == std::endian::little, "fields are read as they lie in memory");

std::int64_t ByteReader::readInRange(std::string_view field, std::int64_t lowest, std::int64_t highest) {
  const std::uint64_t offset = m_position;
  const auto value = read<std::int64_t>(field);
  if (!failed() && (value < lowest || value > highest)) {
    fail(offset, field, fmt::format("{}", value),
         lowest == highest ? fmt::format("{}", lowest) : fmt::format("{} to {}", lowest, highest));
    return lowest;
  }
  return failed() ? lowest : value;
}

std::uint64_t ByteReader::readCount(std::string_view field, std::uint64_t bytesPerItem) {
  const std::uint64_t offset = m_position;
  const auto count = read<std::uint64_t>(field);
  if (!failed() && count > remaining() / bytesPerItem) {
    fail(offset, field, fmt::format("{}", count),
         fmt::format("at most {}, since {} bytes follow", remaining() / bytesPerItem, remaining()));
  }
  return failed() ? 0 : count;
}

std::string_view ByteReader::readText(std::string_view field) {
  return rawBytes(readCount(field, 1), field);
}

std::string_view ByteReader::rawBytes(std::uint64_t size, std::string_view field) {
  if (failed()) {
    return {};
  }
  if (size > remaining()) {
    fail(m_position, field, fmt::format("the end after {} bytes", remaining()),
         fmt::format("{} bytes", size));
    return {};
  }
  const std::string_view raw = m_bytes.substr(m_position, size);
  m_position += size;
  return raw;
}

void ByteReader::fail(std::uint64_t offset, std::string_view field, std::string_view found,
                      std::string_view expected) {
  if (failed()) {
    return;
  }
  const std::string item =
      m_itemKind.empty() ? std::string() : fmt::format("{} {}, ", m_itemKind, m_itemIndex);
  fail(base::Error{
      base::ErrorCode::Format, fmt::format("{}: the {} is damaged.", m_file, m_what),
      fmt::format("At byte {} of it, {}{}: found {}, expected {}.", offset, item, field, found, expected),
      "Copy the file again, or export it again with export_library."});
}

void ByteReader::fail(base::Error error) {
  if (!failed()) {
    m_error = std::move(error);
  }
}

}  // namespace opscope::vm
