// SPDX-License-Identifier: Apache-2.0
#include "engine/report/trace_reader.h"

#include <fmt/format.h>

#include <new>

#include "engine/base/text_encoding.h"
#include "engine/report/trace_foreign.h"
#include "engine/report/trace_own.h"

namespace opscope::report {

using base::Error;
using base::ErrorCode;

base::Result<Document> documentFromTraceJson(std::string_view text, std::string_view fileForMessages,
                                             const TraceLimits& limits) {
  OPSCOPE_TRY_ASSIGN(text, base::utf8Text(text, fileForMessages));
  const std::optional<TraceOutline> outline = traceOutline(text);
  if (!outline) {
    return Error{ErrorCode::Format, fmt::format("{} is not a trace", fileForMessages),
                 "Expected an array of events with \"ph\", or an object with it as \"traceEvents\".", ""};
  }
  try {
    return isOwnTrace(outline->otherData) ? readOwnTrace(text, *outline, fileForMessages, limits)
                                          : readForeignTrace(text, *outline, fileForMessages, limits);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::OutOfMemory, fmt::format("Not enough memory to read {}", fileForMessages), "",
                 "Record less, or cut the trace."};
  }
}

}  // namespace opscope::report
