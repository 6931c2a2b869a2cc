// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/tar_reader.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

namespace opscope::runtime {

using base::Error;
using base::ErrorCode;
using base::Result;

namespace {

constexpr std::size_t kBlock = 512;
constexpr std::size_t kMostEntries = 10'000;
constexpr std::size_t kMostNameBytes = 4096;

// Fields of a header: offset and length.
struct Field {
  std::size_t offset;
  std::size_t size;
};
constexpr Field kName{0, 100};
constexpr Field kSize{124, 12};
constexpr Field kChecksum{148, 8};
constexpr std::size_t kType = 156;
constexpr Field kMagic{257, 5};
constexpr Field kPrefix{345, 155};

std::string_view rawField(std::string_view header, Field field) {
  return header.substr(field.offset, field.size);
}

/// Up to the first zero byte.
std::string_view textField(std::string_view header, Field field) {
  const std::string_view raw = rawField(header, field);
  return raw.substr(0, raw.find('\0'));
}

std::optional<std::uint64_t> octal(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\0')) {
    text.remove_suffix(1);
  }
  while (!text.empty() && text.front() == ' ') {
    text.remove_prefix(1);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 8);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

/// The sum of a header's bytes, its own field counted as spaces.
std::uint64_t checksumOf(std::string_view header) {
  std::uint64_t sum = kChecksum.size * ' ';
  for (std::size_t i = 0; i < kBlock; ++i) {
    const bool isOwn = i >= kChecksum.offset && i < kChecksum.offset + kChecksum.size;
    sum += isOwn ? 0 : static_cast<unsigned char>(header[i]);
  }
  return sum;
}

/// Whether a name stays within the folder that an archive would be unpacked to.
bool isContained(std::string_view name) {
  if (name.empty() || name.front() == '/' || name.find('\0') != std::string_view::npos) {
    return false;
  }
  while (!name.empty()) {
    const std::size_t slash = std::min(name.find('/'), name.size());
    if (name.substr(0, slash) == "..") {
      return false;
    }
    name.remove_prefix(std::min(slash + 1, name.size()));
  }
  return true;
}

class TarReader {
 public:
  TarReader(std::string_view bytes, const std::string& file) : m_bytes(bytes), m_file(file) {}

  Result<std::vector<TarEntry>> read() {
    while (m_at < m_bytes.size()) {
      const std::string_view header = m_bytes.substr(m_at, kBlock);
      if (header.size() < kBlock) {
        return damaged("a header of " + std::to_string(header.size()) + " bytes", "512");
      }
      if (std::ranges::all_of(header, [](char byte) { return byte == '\0'; })) {
        return std::move(m_entries);
      }
      OPSCOPE_TRY(readEntry(header));
    }
    return std::move(m_entries);  // GNU tar takes an archive without its two last blocks too
  }

 private:
  Error damaged(const std::string& found, const std::string& expected) const {
    return {ErrorCode::Format, m_file + " is a damaged tar archive: byte " + std::to_string(m_at),
            "found " + found + ", expected " + expected, "export the library again"};
  }
  Error refused(const std::string& name, const std::string& why) const {
    return {ErrorCode::Format, m_file + ": the archive's entry \"" + name.substr(0, 200) + "\" " + why,
            "an exported library holds regular files under plain names", "export the library again"};
  }

  Result<> readEntry(std::string_view header) {
    const auto checksum = octal(rawField(header, kChecksum));
    if (!isTar(m_bytes.substr(m_at)) || checksum != checksumOf(header)) {
      return damaged("a header with a wrong mark or checksum", "a tar header");
    }
    const auto size = octal(rawField(header, kSize));
    if (!size || *size > m_bytes.size() - m_at - kBlock) {
      return damaged(size ? "an entry of " + std::to_string(*size) + " bytes" : "a size that is no number",
                     "at most the " + std::to_string(m_bytes.size() - m_at - kBlock) + " bytes that follow");
    }
    const std::string_view body = m_bytes.substr(m_at + kBlock, *size);
    OPSCOPE_TRY(take(header, body));
    m_at += kBlock + std::min((*size + kBlock - 1) / kBlock * kBlock, m_bytes.size() - m_at - kBlock);
    return {};
  }

  Result<> take(std::string_view header, std::string_view body) {
    switch (header[kType]) {
      case 'L':
        m_longName = std::string(body.substr(0, std::min(body.find('\0'), kMostNameBytes)));
        return {};
      case 'x':
        return readPax(body);
      case 'g':
        return {};
      default:
        break;
    }
    std::string name = m_longName.empty() ? nameOf(header) : std::exchange(m_longName, {});
    if (!isContained(name)) {
      return refused(name, "leads out of the archive");
    }
    if (header[kType] == '5') {
      return {};
    }
    if (header[kType] != '0' && header[kType] != '\0') {
      return refused(name, "is a link or a device");
    }
    if (m_entries.size() == kMostEntries) {
      return damaged("more than " + std::to_string(kMostEntries) + " files", "fewer");
    }
    m_entries.push_back({std::move(name), body});
    return {};
  }

  static std::string nameOf(std::string_view header) {
    const std::string_view prefix = textField(header, kPrefix);
    // GNU's headers keep times where ustar has the prefix; theirs have a space after the mark.
    const bool hasPrefix = header[kMagic.offset + kMagic.size] == '\0' && !prefix.empty();
    return (hasPrefix ? std::string(prefix) + "/" : std::string()) + std::string(textField(header, kName));
  }

  /// Records "LENGTH KEY=VALUE\n"; the path of the next entry is wanted.
  Result<> readPax(std::string_view body) {
    while (!body.empty()) {
      std::size_t length = 0;
      const auto [end, error] = std::from_chars(body.data(), body.data() + body.size(), length);
      const auto digits = static_cast<std::size_t>(end - body.data());
      if (error != std::errc() || length <= digits + 1 || length > body.size() || *end != ' ' ||
          body[length - 1] != '\n') {
        return damaged("a wrong record of attributes", "\"LENGTH KEY=VALUE\"");
      }
      const std::string_view record = body.substr(digits + 1, length - digits - 2);
      if (record.starts_with("path=")) {
        m_longName = std::string(record.substr(5, kMostNameBytes));
      } else if (record.starts_with("size=") || record.starts_with("GNU.sparse")) {
        return damaged("an entry whose size stands in its attributes", "one below 8 GiB, not sparse");
      }
      body.remove_prefix(length);
    }
    return {};
  }

  std::string_view m_bytes;
  const std::string& m_file;
  std::size_t m_at = 0;
  std::string m_longName;  ///< of the next entry
  std::vector<TarEntry> m_entries;
};

}  // namespace

bool isTar(std::string_view bytes) {
  return bytes.size() >= kBlock && rawField(bytes, kMagic) == "ustar";
}

Result<std::vector<TarEntry>> readTar(std::string_view bytes, const std::string& file) {
  return TarReader(bytes, file).read();
}

}  // namespace opscope::runtime
