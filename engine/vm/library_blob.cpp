// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/library_blob.h"

#include <fmt/format.h>

#include "engine/vm/byte_reader.h"

namespace opscope::vm {

namespace {

constexpr std::string_view kWhat = "module tree in the library";
constexpr std::string_view kNoBody("\0", 1);  // tvm-ffi cannot read an empty one
constexpr std::string_view kOldImportTreeKey = "_import_tree";

std::vector<std::uint64_t> readNumbers(ByteReader& reader, std::string_view field) {
  const std::uint64_t count = reader.readCount(field, 8);
  std::vector<std::uint64_t> numbers;
  numbers.reserve(count);
  for (std::uint64_t index = 0; index < count; ++index) {
    numbers.push_back(reader.read<std::uint64_t>(field));
  }
  return numbers;
}

/// The reader of a blob, behind its size.
base::Result<ByteReader> readerAfterSize(std::string_view bytes, std::string_view fileForMessages) {
  ByteReader sizeReader(bytes, fileForMessages, kWhat);
  const std::uint64_t size = sizeReader.readCount("size", 1);
  if (sizeReader.failed()) {
    return sizeReader.error();
  }
  // Offsets in messages count from the blob's first byte, so the size field stays in view.
  ByteReader reader(bytes.substr(0, 8 + size), fileForMessages, kWhat);
  reader.rawBytes(8, "size");
  return reader;
}

void addModule(ByteReader& reader, LibraryBlob& blob, std::string_view kind) {
  EmbeddedModule module;
  module.kind = std::string(kind);
  if (module.kind != kLibraryKind) {
    module.body = reader.readText("body");
    module.bodyOffset = reader.position() - module.body.size();
  }
  blob.modules.push_back(std::move(module));
}

void readModules(ByteReader& reader, LibraryBlob& blob, std::uint64_t count) {
  for (std::uint64_t index = 0; index < count && !reader.failed(); ++index) {
    reader.enterItem("module", index);
    addModule(reader, blob, reader.readText("kind"));
  }
  reader.leaveItem();
}

// Compressed rows: the imports of module i are children[rows[i]] to children[rows[i + 1]].
void fillImports(ByteReader& reader, LibraryBlob& blob, const std::vector<std::uint64_t>& rows,
                 const std::vector<std::uint64_t>& children, std::uint64_t rowsOffset) {
  for (std::size_t index = 0; index + 1 < rows.size() && !reader.failed(); ++index) {
    const std::uint64_t rowOffset = rowsOffset + 8 * (index + 1);
    if (rows[index + 1] < rows[index] || rows[index + 1] > children.size()) {
      reader.fail(rowOffset, "import row", fmt::format("{}", rows[index + 1]),
                  fmt::format("{} to {}", rows[index], children.size()));
      return;
    }
    for (std::uint64_t at = rows[index]; at < rows[index + 1]; ++at) {
      if (children[at] >= blob.modules.size()) {
        reader.fail(rowOffset, "imported module", fmt::format("{}", children[at]),
                    fmt::format("an index below {}", blob.modules.size()));
        return;
      }
      blob.modules[index].imports.push_back(children[at]);
    }
  }
}

// Depth-first over the imports; a module met again while still open closes a cycle.
bool hasCycle(const LibraryBlob& blob) {
  enum class Mark : std::uint8_t { New, Open, Done };
  std::vector<Mark> marks(blob.modules.size(), Mark::New);
  for (std::size_t root = 0; root < blob.modules.size(); ++root) {
    std::vector<std::pair<std::size_t, std::size_t>> path;
    if (marks[root] == Mark::New) {
      marks[root] = Mark::Open;
      path.emplace_back(root, 0);
    }
    while (!path.empty()) {
      auto& [module, next] = path.back();
      if (next == blob.modules[module].imports.size()) {
        marks[module] = Mark::Done;
        path.pop_back();
        continue;
      }
      const std::size_t child = blob.modules[module].imports[next++];
      if (marks[child] == Mark::Open) {
        return true;
      }
      if (marks[child] == Mark::New) {
        marks[child] = Mark::Open;
        path.emplace_back(child, 0);
      }
    }
  }
  return false;
}

/// Ends the reading of a blob: links its modules and wants no more bytes.
base::Result<LibraryBlob> linked(ByteReader& reader, LibraryBlob blob, const std::vector<std::uint64_t>& rows,
                                 const std::vector<std::uint64_t>& children, std::uint64_t rowsOffset) {
  if (!reader.failed()) {
    fillImports(reader, blob, rows, children, rowsOffset);
  }
  if (!reader.failed() && hasCycle(blob)) {
    reader.fail(rowsOffset, "imports", "modules that import each other", "a tree");
  }
  if (!reader.failed() && reader.remaining() != 0) {
    reader.fail(reader.position(), "end", fmt::format("{} more bytes", reader.remaining()), "no more bytes");
  }
  if (reader.failed()) {
    return reader.error();
  }
  blob.size = reader.position();
  return blob;
}

void appendNumber(std::string& bytes, std::uint64_t value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void appendText(std::string& bytes, std::string_view text) {
  appendNumber(bytes, text.size());
  bytes.append(text);
}

}  // namespace

std::int64_t LibraryBlob::find(std::string_view kind) const {
  for (std::size_t index = 0; index < modules.size(); ++index) {
    if (modules[index].kind == kind) {
      return static_cast<std::int64_t>(index);
    }
  }
  return -1;
}

base::Result<LibraryBlob> parseLibraryBlob(std::string_view bytes, std::string_view fileForMessages) {
  OPSCOPE_TRY_ASSIGN(ByteReader reader, readerAfterSize(bytes, fileForMessages));
  const std::uint64_t rowsOffset = reader.position() + 8;
  const std::vector<std::uint64_t> rows = readNumbers(reader, "number of import rows");
  if (!reader.failed() && (rows.size() < 2 || rows.front() != 0)) {
    reader.fail(rowsOffset - 8, "number of import rows",
                rows.empty() ? "0" : fmt::format("{}, the first row at {}", rows.size(), rows.front()),
                "2 or more, the first row at 0");
  }
  const std::vector<std::uint64_t> children = readNumbers(reader, "number of imports");
  LibraryBlob blob;
  readModules(reader, blob, rows.empty() ? 0 : rows.size() - 1);
  return linked(reader, std::move(blob), rows, children, rowsOffset);
}

base::Result<LibraryBlob> parseOldLibraryBlob(std::string_view bytes, std::string_view fileForMessages) {
  OPSCOPE_TRY_ASSIGN(ByteReader reader, readerAfterSize(bytes, fileForMessages));
  const std::uint64_t count = reader.readCount("number of entries", 8);
  LibraryBlob blob;
  std::vector<std::uint64_t> rows;
  std::vector<std::uint64_t> children;
  std::uint64_t rowsOffset = reader.position();
  for (std::uint64_t index = 0; index < count && !reader.failed(); ++index) {
    reader.enterItem("entry", index);
    const std::string_view key = reader.readText("key");
    if (key == kOldImportTreeKey) {
      rowsOffset = reader.position() + 8;
      rows = readNumbers(reader, "number of import rows");
      children = readNumbers(reader, "number of imports");
    } else {
      addModule(reader, blob, key);
    }
  }
  reader.leaveItem();
  if (!reader.failed() && (rows.size() != blob.modules.size() + 1 || rows.front() != 0)) {
    reader.fail(rowsOffset - 8, "number of import rows", fmt::format("{}", rows.size()),
                fmt::format("{}, one more than there are modules, the first at 0", blob.modules.size() + 1));
  }
  return linked(reader, std::move(blob), rows, children, rowsOffset);
}

std::string serialiseLibraryBlob(const LibraryBlob& blob, std::string_view withoutBody) {
  std::string payload;
  appendNumber(payload, blob.modules.size() + 1);
  std::uint64_t row = 0;
  appendNumber(payload, row);
  std::string children;
  for (const EmbeddedModule& module : blob.modules) {
    row += module.imports.size();
    appendNumber(payload, row);
    for (const std::size_t import : module.imports) {
      appendNumber(children, import);
    }
  }
  appendNumber(payload, row);
  payload += children;
  for (const EmbeddedModule& module : blob.modules) {
    appendText(payload, module.kind);
    if (module.kind != kLibraryKind) {
      appendText(payload, module.kind == withoutBody ? kNoBody : module.body);
    }
  }
  std::string bytes;
  appendText(bytes, payload);
  return bytes;
}

}  // namespace opscope::vm
