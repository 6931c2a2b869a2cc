// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/exit_status.h"
#include "app/cli/session_client.h"
#include "engine/base/atomic_file.h"

namespace opscope::cli {

namespace {

using Json = nlohmann::ordered_json;

/// A file of ours in the folder for temporary files, gone at the end.
class TemporaryFile {
 public:
  TemporaryFile() {
    std::string pattern = (std::filesystem::temp_directory_path() / "opscope-XXXXXX.npz").string();
    constexpr int kSuffixLength = 4;
    const int fd = mkstemps(pattern.data(), kSuffixLength);
    if (fd >= 0) {
      close(fd);
      m_path = pattern;
    }
  }
  ~TemporaryFile() {
    if (!m_path.empty()) {
      unlink(m_path.c_str());
    }
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return m_path; }

 private:
  std::string m_path;
};

std::string durationText(double ns) {
  return ns < 1e6   ? fmt::format("{:.1f} µs", ns / 1e3)
         : ns < 1e9 ? fmt::format("{:.2f} ms", ns / 1e6)
                    : fmt::format("{:.2f} s", ns / 1e9);
}

std::string asText(const session::RunFinished& finished, const Console& console) {
  std::string text;
  for (const session::OutputSummary& output : finished.outputs) {
    text += fmt::format("{}  {}  {}\n", console.heading(output.path), output.description, output.preview);
  }
  if (finished.outputs.empty()) {
    text += "The call returned nothing that is kept.\n";
  }
  return text + fmt::format("took {}\n", durationText(finished.durationNs));
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

int copyToStandardOutput(const std::string& path, Console& console) {
  const auto content = base::readFile(path);
  if (!content) {
    console.error(content.error());
    return kWorkFailed;
  }
  return writeOut(console, *content);
}

}  // namespace

int run(const RunOptions& options, Console& console, Interrupts& interrupts) {
  const bool arraysToStandardOutput = options.outputs == "-";
  const TemporaryFile temporary;
  session::RunRequest request;
  request.path = options.file;
  request.plan = options.plan;
  request.settings = options.settings;
  request.outputsFile = arraysToStandardOutput ? temporary.path() : options.outputs;
  SessionClient client(console, interrupts);
  const Answer answer = client.run(std::move(request));
  const auto* finished = std::get_if<session::RunFinished>(&answer);
  if (finished == nullptr) {
    return tellFailure(console, interrupts, answer);
  }
  if (arraysToStandardOutput) {
    return copyToStandardOutput(temporary.path(), console);
  }
  if (options.json) {
    return writeOut(console, asJson(options, *finished));
  }
  return console.quiet() ? kDone : writeOut(console, asText(*finished, console));
}

}  // namespace opscope::cli
