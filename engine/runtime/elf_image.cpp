// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/elf_image.h"

#include <algorithm>
#include <limits>

#include "engine/runtime/elf_parser.h"

namespace opscope::runtime {

std::string_view hostArchitecture() {
#if defined(__x86_64__)
  return "x86-64";
#elif defined(__aarch64__)
  return "aarch64";
#else
#error "this architecture is not supported"
#endif
}

base::Result<ElfImage> ElfImage::parse(const std::shared_ptr<const std::string>& bytes, std::string file) {
  return parse(LibraryBytes::of(*bytes), std::move(file));
}

base::Result<ElfImage> ElfImage::parse(std::shared_ptr<const LibraryBytes> bytes, std::string file) {
  ElfImage image;
  image.m_bytes = std::move(bytes);
  image.m_file = std::move(file);
  OPSCOPE_TRY(ElfParser(image).parse());
  return image;
}

base::Result<> ElfImage::checkRunsHere() const {
  return runtime::checkRunsHere(m_file, m_architecture);
}

base::Result<> checkRunsHere(const std::string& file, std::string_view architecture) {
  if (architecture == hostArchitecture()) {
    return {};
  }
  return base::Error{base::ErrorCode::Unsupported,
                     file + " is built for " + std::string(architecture) + ", this computer is " +
                         std::string(hostArchitecture()),
                     {},
                     "it can be inspected here; to run it, compile the model for this computer's target"};
}

const ElfSymbol* ElfImage::findSymbol(std::string_view name) const {
  const auto found = m_byName.find(name);
  return found == m_byName.end() ? nullptr : &m_defined[found->second];
}

std::optional<std::string_view> ElfImage::dataOfSymbol(std::string_view name) const {
  const ElfSymbol* symbol = findSymbol(name);
  if (symbol == nullptr) {
    return std::nullopt;
  }
  const bool toTheEnd = symbol->size == 0;
  const std::string_view data =
      bytesAt(symbol->value, toTheEnd ? std::numeric_limits<std::uint64_t>::max() : symbol->size);
  return data.empty() || data.size() < symbol->size ? std::nullopt : std::optional(data);
}

std::string_view ElfImage::bytesAt(std::uint64_t address, std::uint64_t size) const {
  for (const Segment& segment : m_segments) {
    if (address >= segment.address && address - segment.address < segment.fileSize) {
      const std::uint64_t skip = address - segment.address;
      return bytes().substr(segment.offset + skip, std::min(size, segment.fileSize - skip));
    }
  }
  return {};
}

}  // namespace opscope::runtime
