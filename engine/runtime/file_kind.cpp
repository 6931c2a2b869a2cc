// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/file_kind.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace opscope::runtime {

namespace {

using namespace std::string_view_literals;

struct Magic {
  std::size_t offset;
  std::string_view bytes;
  FileKind kind;
};

constexpr std::string_view kForLinux = "compile and export the model for Linux";
constexpr std::string_view kExportSo = "export the library with a name that ends in .so";

// One row a kind; the first match holds.
constexpr std::array kMagics = {
    Magic{0, "\xCF\xFA\xED\xFE"sv, {"a macOS library (Mach-O)", kForLinux}},
    Magic{0, "\xCE\xFA\xED\xFE"sv, {"a macOS library (Mach-O, 32-bit)", kForLinux}},
    Magic{0, "\xFE\xED\xFA\xCF"sv, {"a macOS library (Mach-O, big-endian)", kForLinux}},
    Magic{0, "\xCA\xFE\xBA\xBE"sv, {"a macOS universal library (Mach-O) or a Java class", kForLinux}},
    Magic{0, "MZ"sv, {"a Windows library (PE/COFF)", kForLinux}},
    Magic{0, "!<arch>\n"sv, {"a static archive (ar)", kExportSo}},
    Magic{257, "ustar"sv, {"a tar archive", kExportSo}},
    Magic{0, "PK\x03\x04"sv, {"a zip archive", "unpack it and open the library inside"}},
    Magic{0, "\x1F\x8B"sv, {"compressed with gzip", "unpack it and open the library inside"}},
    Magic{0, "\x28\xB5\x2F\xFD"sv, {"compressed with zstd", "unpack it and open the library inside"}},
    Magic{0,
          "\xFD"
          "7zXZ\0"sv,
          {"compressed with xz", "unpack it and open the library inside"}},
    Magic{0, "\0asm"sv, {"a WebAssembly module", kForLinux}},
    Magic{0, "BC\xC0\xDE"sv, {"LLVM bitcode", kExportSo}},
    Magic{0, "\x93NUMPY"sv, {"an array file (npy)", "give it as an input, not as the library"}},
    Magic{0, "SQLite format 3\0"sv, {"a database (SQLite)", {}}},
    Magic{0,
          "\x7F"
          "ELF"sv,
          {"an ELF file that is cut off", "copy or build the library again"}},
    Magic{0, "#!"sv, {"a script", {}}},
};

bool looksLikeText(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, 512);
  return std::none_of(head.begin(), head.end(), [](char c) {
    const auto value = static_cast<unsigned char>(c);
    return value < 0x20 && std::isspace(value) == 0;
  });
}

}  // namespace

FileKind recogniseFile(std::string_view bytes) {
  if (bytes.empty()) {
    return {"empty", "copy or build the library again"};
  }
  for (const Magic& magic : kMagics) {
    if (bytes.size() > magic.offset && bytes.substr(magic.offset, magic.bytes.size()) == magic.bytes) {
      return magic.kind;
    }
  }
  if (looksLikeText(bytes)) {
    const std::size_t first = bytes.find_first_not_of(" \t\r\n");
    if (first != std::string_view::npos && (bytes[first] == '{' || bytes[first] == '[')) {
      return {"text that looks like JSON", "open a report or a scenario where one is asked for"};
    }
    return {"a text file", {}};
  }
  return {"of an unknown kind", {}};
}

}  // namespace opscope::runtime
