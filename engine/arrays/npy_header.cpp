// SPDX-License-Identifier: Apache-2.0
// The header of a .npy file: magic, version, length, and a Python dictionary as text.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "engine/arrays/npy.h"
#include "engine/base/text_cursor.h"

namespace opscope::arrays {

namespace {

using base::Error;
using base::ErrorCode;
using base::Result;

constexpr std::string_view kMagic = "\x93NUMPY";
/// numpy's headers have 128 bytes, except those of many dimensions.
constexpr std::uint64_t kFirstBytes = 128;
/// numpy 2 allows 64 dimensions.
constexpr std::size_t kRankLimit = 64;

/// A few bytes of the file made fit for a message.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text.substr(0, 40)) {
    const bool plain = c >= 0x20 && c < 0x7f;
    out += plain ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return out + (text.size() > 40 ? "…\"" : "\"");
}

Error malformed(std::string_view place, std::string_view what, std::string detail) {
  return {ErrorCode::Format, fmt::format("{}: not a valid .npy array: {}.", place, what), std::move(detail),
          "Write the array again with numpy.save."};
}

Error unsupported(std::string_view place, std::string_view what) {
  return {ErrorCode::Unsupported, fmt::format("{}: the array holds {}.", place, what),
          "Needs bool, int8 to int64, uint8 to uint64, float16, bfloat16, float32 or float64.",
          "Convert it first, for example with array.astype(\"float32\")."};
}

/// Reads the dictionary, which is Python text such as {'descr': '<f4', 'fortran_order': False, 'shape': (3,),
/// }.
class DictionaryReader : private base::TextCursor {
 public:
  DictionaryReader(std::string_view text, std::size_t offset, std::string_view place)
      : TextCursor(text), m_offset(offset), m_place(place) {}

  Result<> read();

  std::string_view descr;
  bool structured = false;
  bool fortranOrder = false;
  std::vector<std::int64_t> shape;

 private:
  Result<> readEntry();
  Result<std::string_view> readString(std::string_view what);
  Result<> readDescr();
  Result<> readOrder();
  Result<> readShape();
  Result<std::int64_t> readSize();

  Error wrong(std::string_view expected) const {
    const std::string_view rest = m_text.substr(std::min(m_position, m_text.size()));
    return malformed(m_place, fmt::format("the header is wrong at byte {}", m_offset + m_position),
                     fmt::format("Needs {}. The file has {}.", expected,
                                 rest.empty() ? "the end of the header" : quoted(rest)));
  }

  std::size_t m_offset;
  std::string_view m_place;
  bool m_hasDescr = false;
  bool m_hasOrder = false;
  bool m_hasShape = false;
};

Result<> DictionaryReader::read() {
  if (!take("{")) {
    return wrong("\"{\"");
  }
  while (!take("}")) {
    OPSCOPE_TRY(readEntry());
    if (structured) {
      return {};
    }
    if (!take(",")) {
      if (take("}")) {
        break;
      }
      return wrong("\",\" or \"}\"");
    }
  }
  skipSpace();
  if (m_position != m_text.size()) {
    return wrong("the end of the header");
  }
  if (!m_hasDescr || !m_hasOrder || !m_hasShape) {
    return malformed(m_place, "the header is not complete",
                     "Needs the keys descr, fortran_order and shape, each once.");
  }
  return {};
}

Result<> DictionaryReader::readEntry() {
  OPSCOPE_TRY_ASSIGN(const std::string_view key, readString("a key in quotes"));
  if (!take(":")) {
    return wrong("\":\"");
  }
  bool* seen = key == "descr"           ? &m_hasDescr
               : key == "fortran_order" ? &m_hasOrder
               : key == "shape"         ? &m_hasShape
                                        : nullptr;
  if (seen == nullptr || *seen) {
    return malformed(m_place,
                     fmt::format("the header has the key {} {}", quoted(key),
                                 seen ? "twice" : "which does not belong there"),
                     "Needs the keys descr, fortran_order and shape, each once.");
  }
  *seen = true;
  return seen == &m_hasDescr ? readDescr() : seen == &m_hasOrder ? readOrder() : readShape();
}

Result<std::string_view> DictionaryReader::readString(std::string_view what) {
  const bool single = take("'");
  if (!single && !take("\"")) {
    return wrong(what);
  }
  const std::size_t end = m_text.find(single ? '\'' : '"', m_position);
  if (end == std::string_view::npos) {
    return wrong("a closing quote");
  }
  const std::string_view value = m_text.substr(m_position, end - m_position);
  m_position = end + 1;
  return value;
}

Result<> DictionaryReader::readDescr() {
  skipSpace();
  const std::string_view rest = m_text.substr(m_position);
  if (rest.starts_with("[") || rest.starts_with("(")) {
    structured = true;
    return {};
  }
  OPSCOPE_TRY_ASSIGN(descr, readString("an element type in quotes"));
  return {};
}

Result<> DictionaryReader::readOrder() {
  fortranOrder = take("True");
  if (!fortranOrder && !take("False")) {
    return wrong("True or False");
  }
  return {};
}

Result<> DictionaryReader::readShape() {
  if (!take("(")) {
    return wrong("\"(\"");
  }
  while (!take(")")) {
    OPSCOPE_TRY_ASSIGN(const std::int64_t size, readSize());
    if (shape.size() == kRankLimit) {
      return malformed(m_place, "the shape has too many dimensions",
                       fmt::format("At most {} are allowed.", kRankLimit));
    }
    shape.push_back(size);
    if (!take(",")) {
      if (take(")")) {
        break;
      }
      return wrong("\",\" or \")\"");
    }
  }
  return {};
}

Result<std::int64_t> DictionaryReader::readSize() {
  skipSpace();
  std::int64_t size = -1;
  const char* begin = m_text.data() + m_position;
  const auto [end, failure] = std::from_chars(begin, m_text.data() + m_text.size(), size);
  if (failure != std::errc() || size < 0) {
    return wrong("a size from 0 to 9223372036854775807");
  }
  m_position += static_cast<std::size_t>(end - begin);
  // Python 2 wrote long numbers with an L.
  (void)take("L");
  return size;
}

/// What the letters of numpy's element types that cannot be held stand for.
std::string_view kindInWords(char kind) {
  switch (kind) {
    case 'c':
      return "complex numbers";
    case 'O':
      return "Python objects (pickled), which are never loaded";
    case 'U':
    case 'S':
    case 'a':
      return "text";
    case 'M':
    case 'm':
      return "times";
    case 'V':
      return "raw bytes";
    default:
      return "elements of an unknown type";
  }
}

Result<ElementType> typeFromDescr(std::string_view descr, bool& bigEndian, std::string_view place) {
  std::string_view rest = descr;
  char order = '|';
  if (!rest.empty() && std::string_view("<>|=").find(rest[0]) != std::string_view::npos) {
    order = rest[0];
    rest.remove_prefix(1);
  }
  bigEndian = order == '>';
  if (rest == "bfloat16" || rest == "V2") {
    return ElementType{TypeCode::BFloat, 16, 1};
  }
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"b1", "bool"},    {"?", "bool"},     {"i1", "int8"},   {"i2", "int16"},  {"i4", "int32"},
      {"i8", "int64"},   {"u1", "uint8"},   {"u2", "uint16"}, {"u4", "uint32"}, {"u8", "uint64"},
      {"f2", "float16"}, {"f4", "float32"}, {"f8", "float64"}};
  for (const auto& [code, name] : kNames) {
    if (code == rest) {
      return *elementTypeFromName(name);
    }
  }
  return unsupported(place, fmt::format("{} ({})", kindInWords(rest.empty() ? ' ' : rest[0]), quoted(descr)));
}

std::size_t littleEndian(std::string_view bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

struct TextRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Magic, version and length of the text.
Result<TextRange> locateText(std::string_view begin, std::uint64_t fileBytes, std::string_view place) {
  if (begin.substr(0, kMagic.size()) != kMagic) {
    return malformed(place, "it does not begin as one",
                     fmt::format("Needs \"\\x93NUMPY\". The file has {}.",
                                 begin.empty() ? "no bytes" : quoted(begin.substr(0, 8))));
  }
  const unsigned version = begin.size() > 7 ? static_cast<unsigned char>(begin[6]) : 0;
  const unsigned minor = begin.size() > 7 ? static_cast<unsigned char>(begin[7]) : 0;
  if (begin.size() > 7 && (version < 1 || version > 3 || minor != 0)) {
    return Error{ErrorCode::Unsupported,
                 fmt::format("{}: .npy version {}.{} is not known.", place, version, minor),
                 "Needs version 1.0, 2.0 or 3.0.",
                 {}};
  }
  const std::size_t textBegin = version == 1 ? 10 : 12;
  if (begin.size() < textBegin) {
    return malformed(place, "it ends within the header", fmt::format("It has {} bytes.", begin.size()));
  }
  const std::size_t length = littleEndian(begin.substr(8, textBegin - 8));
  if (textBegin + length > fileBytes) {
    return malformed(place, "it ends within the header",
                     fmt::format("The header has {} bytes. The file has {}.", textBegin + length, fileBytes));
  }
  if (textBegin + length > begin.size()) {
    return malformed(place, "the header is too long",
                     fmt::format("It has {} bytes. At most {} are read.", length, kNpyHeaderLimit));
  }
  return TextRange{textBegin, textBegin + length};
}

/// How many bytes the header at the beginning of `begin` has, by what it says itself; the size of `begin`
/// when that is no header.
std::size_t npyHeaderSize(std::string_view begin) {
  if (begin.size() < 12 || begin.substr(0, kMagic.size()) != kMagic) {
    return begin.size();
  }
  const std::size_t textBegin = begin[6] == 1 ? 10 : 12;
  return textBegin + littleEndian(begin.substr(8, textBegin - 8));
}

}  // namespace

Result<NpyHeader> readNpyHeader(const NpyRead& read, std::uint64_t fileBytes, std::string_view place) {
  std::string begin;
  const auto readTo = [&](std::uint64_t wanted) {
    const std::size_t before = begin.size();
    begin.resize(std::max<std::uint64_t>(before, std::min(wanted, fileBytes)));
    return read(begin.data() + before, begin.size() - before);
  };
  OPSCOPE_TRY(readTo(kFirstBytes));
  OPSCOPE_TRY(readTo(std::min(npyHeaderSize(begin), kNpyHeaderLimit)));
  return parseNpyHeader(begin, fileBytes, place);
}

Result<NpyHeader> parseNpyHeader(std::string_view begin, std::uint64_t fileBytes, std::string_view place) {
  OPSCOPE_TRY_ASSIGN(const TextRange range, locateText(begin, fileBytes, place));
  DictionaryReader reader(begin.substr(range.begin, range.end - range.begin), range.begin, place);
  OPSCOPE_TRY(reader.read());
  if (reader.structured) {
    return unsupported(place, "structured elements (several fields each)");
  }
  NpyHeader header;
  OPSCOPE_TRY_ASSIGN(header.type, typeFromDescr(reader.descr, header.bigEndian, place));
  header.shape = std::move(reader.shape);
  header.fortranOrder = reader.fortranOrder;
  header.dataOffset = range.end;
  const std::uint64_t present = fileBytes - range.end;
  const auto wanted = byteCount(header.type, header.shape);
  if (!wanted || *wanted != present) {
    const std::string needs = wanted ? std::to_string(*wanted) : std::string("more than 9223372036854775807");
    const bool tooLong = wanted && *wanted < present;
    return malformed(place, tooLong ? "bytes follow after the array" : "it ends within the array",
                     fmt::format("{} {} needs {} bytes. The file has {} after the header.",
                                 elementTypeName(header.type), shapeText(header.shape), needs, present));
  }
  header.dataBytes = *wanted;
  return header;
}

std::string npyHeader(const Array& array) {
  return npyHeader(array.type(), array.shape());
}

std::string npyHeader(ElementType type, std::span<const std::int64_t> shape) {
  const std::size_t bytes = elementBytes(type);
  const char order = bytes == 1 ? '|' : '<';
  const char kind = type.code == TypeCode::Bool     ? 'b'
                    : type.code == TypeCode::Int    ? 'i'
                    : type.code == TypeCode::UInt   ? 'u'
                    : type.code == TypeCode::BFloat ? 'V'
                                                    : 'f';
  std::string text = fmt::format("{{'descr': '{}{}{}', 'fortran_order': False, 'shape': ({}{}), }}", order,
                                 kind, bytes, fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  // Spaces up to a multiple of 64, then a line end. 64 dimensions of 19 digits stay far below 65535 bytes, so
  // version 1.0 is always enough.
  const std::size_t unpadded = 10 + text.size() + 1;
  text.append((64 - unpadded % 64) % 64, ' ');
  text += '\n';
  std::string out(kMagic);
  out += {'\x01', '\x00', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return out + text;
}

}  // namespace opscope::arrays
