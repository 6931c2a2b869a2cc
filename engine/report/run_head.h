// SPDX-License-Identifier: Apache-2.0
// A run in two parts, for those who keep calls, samples and spans in a form of their own: the head as JSON,
// and the body as plain columns. Any thread; pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/report/run.h"

namespace opscope::report {

/// The members of Run that grow with the number of calls and repeats.
struct RunBody {
  std::vector<Call> calls;
  std::vector<double> ownNs;
  std::vector<double> inclusiveNs;
  std::vector<std::uint32_t> sampleRepeat;
  std::vector<Span> spans;
  std::vector<std::vector<double>> counters;  ///< values of each of Run::counters
};

/// Everything of the document but the body, as one JSON object with the keys of "opscope.samples/1".
std::string toHeadJson(const Document& document);

/// Puts both parts together. Errors: Format, Unsupported, OutOfMemory, as documentFromSamplesJson; a body
/// that does not fit to the head is one too.
base::Result<Document> documentFromHead(std::string_view head, RunBody body,
                                        std::string_view nameForMessages);

}  // namespace opscope::report
