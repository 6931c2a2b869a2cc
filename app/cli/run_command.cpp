// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/exit_status.h"
#include "app/cli/session_client.h"
#include "app/cli/words.h"
#include "engine/base/printable.h"
#include "engine/base/text_width.h"

namespace opscope::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostAligned = 40;  // columns of a description

std::string asText(const session::RunFinished& finished, const Console& console) {
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
  return text + fmt::format("took {}\n", durationText(finished.durationNs / 1e3));
}

std::string asJson(const RunOptions& options, const session::RunFinished& finished) {
  Json outputs = Json::array();
  for (const session::OutputSummary& output : finished.outputs) {
    outputs.push_back({{"path", output.path}, {"value", output.description}, {"preview", output.preview}});
  }
  Json object;
  object["schema"] = "opscope.run/1";
  object["file"] = options.file;
  object["duration_us"] = finished.durationNs / 1e3;
  object["outputs"] = std::move(outputs);
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

int run(const RunOptions& options, Console& console, Interrupts& interrupts) {
  const bool arraysToStandardOutput = options.outputs == "-";
  session::RunRequest request;
  request.path = options.file;
  request.plan = options.plan;
  request.settings = options.settings;
  request.outputsFile = arraysToStandardOutput ? "" : options.outputs;
  request.returnsArchive = arraysToStandardOutput;
  SessionClient client(console, interrupts);
  const Answer answer = client.run(std::move(request));
  const auto* finished = std::get_if<session::RunFinished>(&answer);
  if (finished == nullptr) {
    return tellFailure(console, interrupts, answer);
  }
  if (arraysToStandardOutput) {
    return writeOut(console, finished->archive);
  }
  if (options.json) {
    return writeOut(console, asJson(options, *finished));
  }
  return console.quiet() ? kDone : writeOut(console, asText(*finished, console));
}

}  // namespace opscope::cli
