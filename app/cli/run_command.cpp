// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/document_output.h"
#include "app/cli/exit_status.h"
#include "app/cli/output_pipe.h"
#include "app/cli/session_client.h"
#include "app/cli/words.h"
#include "engine/base/printable.h"
#include "engine/base/text_width.h"
#include "engine/report/quantity_words.h"

namespace opscope::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostAligned = 40;  // columns of a description

std::string asText(const RunOptions& options, const session::RunFinished& finished, const Console& console) {
  std::size_t pathWidth = 0;
  std::size_t descriptionWidth = 0;
  std::vector<session::OutputSummary> outputs = finished.outputs;
  for (session::OutputSummary& output : outputs) {
    // A scenario names its outputs, and texts are results too.
    for (std::string* text : {&output.path, &output.description, &output.preview}) {
      *text = base::printable(*text);
    }
    pathWidth = std::max(pathWidth, output.path.size());
    descriptionWidth = std::max(descriptionWidth, output.description.size());
  }
  descriptionWidth = std::min(descriptionWidth, kMostAligned);
  const std::optional<std::size_t> width = console.width();
  std::string text;
  for (const session::OutputSummary& output : outputs) {
    const std::string rest = fmt::format("{}  {:<{}}  {}", std::string(pathWidth - output.path.size(), ' '),
                                         output.description, descriptionWidth, output.preview);
    const std::size_t room = width ? *width - std::min(*width, output.path.size()) : std::string::npos;
    text += console.heading(output.path) + (width ? base::elideEnd(rest, room) : rest) + "\n";
  }
  if (finished.outputs.empty()) {
    text += "The call returned nothing that is kept.\n";
  }
  if (finished.finite) {
    text += fmt::format("all finite: the outputs of {}, and the results\n",
                        countText(finished.finite->callsChecked, "call", "calls"));
  }
  if (finished.durationNs > 0) {
    text += fmt::format("took {}{}\n", report::durationWords(finished.durationNs),
                        onTarget(options.settings.target));
  }
  return text;
}

Json jsonOf(const session::NonFiniteValues& values) {
  Json object = {{"place", values.place},           {"value", values.description},
                 {"elements", values.elements},     {"nan", values.nans},
                 {"inf", values.infinities},        {"first", values.position},
                 {"first_value", values.firstValue}};
  if (!values.origin.empty()) {
    object["origin"] = values.origin;
  }
  return object;
}

Json jsonOf(const session::FiniteSummary& finite) {
  Json object = {{"holds", finite.holds()}, {"calls_checked", finite.callsChecked}};
  if (finite.holds()) {
    return object;
  }
  object["op"] = finite.op;
  if (!finite.function.empty()) {
    object["function"] = finite.function;
    object["instruction"] = finite.instruction;
    object["sequence"] = finite.sequence;
  }
  object["output"] = jsonOf(finite.output);
  object["inputs"] = Json::array();
  for (const session::NonFiniteValues& input : finite.inputs) {
    object["inputs"].push_back(jsonOf(input));
  }
  return object;
}

/// "3 NaN and 1 Inf of 32 values, the first (nan) at [0, 5]".
std::string countsText(const session::NonFiniteValues& values) {
  std::vector<std::string> kinds;
  if (values.nans > 0) {
    kinds.push_back(fmt::format("{} NaN", values.nans));
  }
  if (values.infinities > 0) {
    kinds.push_back(fmt::format("{} Inf", values.infinities));
  }
  return fmt::format("{} of {} values, the first ({}) at {}", fmt::join(kinds, " and "), values.elements,
                     values.firstValue, values.position);
}

std::string placeText(const session::NonFiniteValues& values) {
  return fmt::format("{}{}{}, {}: {}", values.place, values.origin.empty() ? "" : ", ", values.origin,
                     values.description, countsText(values));
}

base::Error asError(const session::FiniteSummary& finite) {
  base::Error error;
  const session::NonFiniteValues& output = finite.output;
  if (finite.function.empty()) {
    error.message = fmt::format("A result of {} is not finite.", finite.op);
  } else if (finite.inputs.empty()) {
    error.message =
        fmt::format("{} makes the first values that are not finite: call {}, in {}, instruction {}.",
                    finite.op, finite.sequence, finite.function, finite.instruction);
  } else {
    error.message = fmt::format(
        "{} is the first op whose output is not finite, but its inputs are not either: "
        "call {}, in {}, instruction {}.",
        finite.op, finite.sequence, finite.function, finite.instruction);
  }
  error.message = base::printable(error.message);
  error.detail = base::printable(placeText(output));
  for (const session::NonFiniteValues& input : finite.inputs) {
    error.detail += "\n" + base::printable(placeText(input));
  }
  error.hint = finite.function.empty() ? "Its calls were not seen, so that the op is not known."
               : finite.inputs.empty() ? "What went in is finite, so the op makes them."
                                       : "The op passes on what went in: look at where that comes from.";
  return error;
}

void tellDump(const RunOptions& options, const session::DumpSummary& dump, Console& console) {
  console.note(fmt::format("{}: {} of {}, {}", options.dump == "-" ? "standard output" : options.dump,
                           countText(dump.tensors, "tensor", "tensors"),
                           countText(dump.calls, "call", "calls"), bytesText(dump.bytes)));
  if (dump.calls == 0 && dump.callsBeyondLimit == 0 && dump.callsWithoutRoom == 0) {
    console.warning("No call was seen, so the dump is empty.", "");
  }
  if (dump.callsBeyondLimit > 0) {
    console.warning(fmt::format("The dump ends after {} MB: {} are not in it.", options.dumpLimitMb,
                                countText(dump.callsBeyondLimit, "call", "calls")),
                    "--dump-limit takes a larger size.");
  }
  if (dump.callsWithoutRoom > 0) {
    console.warning(fmt::format("The board had no room for the tensors of {}, which are not in the dump.",
                                countText(dump.callsWithoutRoom, "call", "calls")),
                    "Run a part of the model, or close other programs on the board.");
  }
  if (dump.leftOut > 0) {
    console.note(fmt::format("{} of types that npz files cannot hold left out",
                             countText(dump.leftOut, "tensor is", "tensors are")));
  }
}

std::string asJson(const RunOptions& options, const session::RunFinished& finished) {
  Json outputs = Json::array();
  for (const session::OutputSummary& output : finished.outputs) {
    outputs.push_back({{"path", output.path}, {"value", output.description}, {"preview", output.preview}});
  }
  Json object;
  object["schema"] = "opscope.run/1";
  object["file"] = options.file;
  object["target"] = targetName(options.settings.target);
  if (finished.durationNs > 0) {
    object["duration_us"] = finished.durationNs / 1e3;
  }
  object["outputs"] = std::move(outputs);
  if (finished.dump) {
    object["dump"] = {{"file", options.dump},
                      {"calls", finished.dump->calls},
                      {"tensors", finished.dump->tensors},
                      {"bytes", finished.dump->bytes},
                      {"left_out", finished.dump->leftOut},
                      {"calls_beyond_limit", finished.dump->callsBeyondLimit},
                      {"calls_without_room", finished.dump->callsWithoutRoom}};
  }
  if (finished.finite) {
    object["finite"] = jsonOf(*finished.finite);
  }
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

namespace {

int runDumpingTo(const std::string& dumpFile, const RunOptions& options, Console& console,
                 Interrupts& interrupts) {
  const bool arraysToStandardOutput = options.outputs == "-";
  session::RunRequest request;
  request.path = options.file;
  request.plan = options.plan;
  request.settings = options.settings;
  request.outputsFile = arraysToStandardOutput ? "" : options.outputs;
  request.returnsArchive = arraysToStandardOutput;
  request.dumpFile = dumpFile;
  request.dumpLimitBytes = options.dumpLimitMb * 1'000'000;
  request.checkFinite = options.checkFinite;
  SessionClient client(console, interrupts);
  const Answer answer = client.run(std::move(request));
  const auto* finished = std::get_if<session::RunFinished>(&answer);
  if (finished == nullptr) {
    return tellFailure(console, interrupts, answer);
  }
  tellWarnings(finished->warnings, console);
  if (finished->dump) {
    tellDump(options, *finished->dump, console);
  }
  if (finished->finite && !finished->finite->holds()) {
    console.error(asError(*finished->finite));
    if (options.json) {
      if (const int status = writeOut(console, asJson(options, *finished)); status != kDone) {
        return status;
      }
    }
    return kCheckFailed;
  }
  if (arraysToStandardOutput) {
    return writeOut(console, finished->archive);
  }
  if (options.json) {
    return writeOut(console, asJson(options, *finished));
  }
  const bool isSilent = console.quiet() || options.dump == "-";
  return isSilent ? kDone : writeOut(console, asText(options, *finished, console));
}

}  // namespace

int run(const RunOptions& options, Console& console, Interrupts& interrupts) {
  if (options.dump != "-") {
    return runDumpingTo(options.dump, options, console, interrupts);
  }
  const auto pipe = OutputPipe::open(console);
  if (!pipe) {
    console.error(pipe.error());
    return kWorkFailed;
  }
  const int status = runDumpingTo((*pipe)->path(), options, console, interrupts);
  if (const auto written = (*pipe)->finish(); !written) {
    console.error(written.error());
    return status == kDone ? kWorkFailed : status;
  }
  return status;
}

}  // namespace opscope::cli
