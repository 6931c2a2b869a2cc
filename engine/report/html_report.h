// SPDX-License-Identifier: Apache-2.0
// A run as one HTML page for people: summary, charts, ops, memory, threads, environment. Any thread; pure
// functions.
#pragma once

#include <string>

#include "engine/report/chunked_text.h"
#include "engine/report/run.h"

namespace opscope::report {

/// The page needs nothing but itself: no network, no other file. It tells names of files without their
/// folders, and no names of hosts. Light and dark as the reader's system; its table sorts and filters by a
/// small script, and is whole without it. Errors: the sink's.
base::Result<> writeHtml(const Document& document, const TextSink& sink);

/// The same as one text.
std::string toHtml(const Document& document);

}  // namespace opscope::report
