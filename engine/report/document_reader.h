// SPDX-License-Identifier: Apache-2.0
// Opens a file that holds measurements: a TVM report or our samples, told by its content. Any thread.
#pragma once

#include <filesystem>
#include <string_view>

#include "engine/base/result.h"
#include "engine/report/run.h"

namespace opscope::report {

/// Errors: as reportFromJson and runFromSamplesJson.
base::Result<Document> documentFromJson(std::string_view text, std::string_view fileForMessages);

/// Reads the file, then as above. Errors also: NotFound, Io.
base::Result<Document> readDocument(const std::filesystem::path& path);

}  // namespace opscope::report
