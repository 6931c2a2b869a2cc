// SPDX-License-Identifier: Apache-2.0
// The visible list of files that hold measurements and can be opened, told apart by their content: a new kind
// is one line in document_reader.cpp. Any thread; constant data and pure functions.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "engine/base/result.h"
#include "engine/report/run.h"

namespace opscope::report {

struct DocumentReader {
  std::string_view id;     ///< "trace"
  std::string_view title;  ///< "trace in Chrome's format (Opscope, PyTorch, TensorFlow, TVM and others)"
  bool (*recognises)(std::string_view text) = nullptr;
  base::Result<Document> (*read)(std::string_view text, std::string_view fileForMessages) = nullptr;
};

/// In the order in which they are asked; the last takes what no other recognises.
std::span<const DocumentReader> documentReaders();

/// Errors: as the reader's. Format for what nobody recognises, with what it seems to be.
base::Result<Document> documentFromText(std::string_view text, std::string_view fileForMessages);

/// Reads the file, then as above. Errors also: NotFound, Io.
base::Result<Document> readDocument(const std::filesystem::path& path);

}  // namespace opscope::report
