// SPDX-License-Identifier: Apache-2.0
#include "app/cli/run_saving.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "app/cli/commands.h"
#include "app/cli/exit_status.h"
#include "app/cli/run_source.h"
#include "engine/base/atomic_file.h"
#include "engine/report/samples_json.h"

namespace opscope::cli {

namespace {

struct Saved {
  store::RunId id = 0;
  std::filesystem::path path;
};

base::Result<Saved> save(const SaveOptions& options, const report::Document& document) {
  OPSCOPE_TRY_ASSIGN(store::Store store, openStore(options.store, store::Access::Write));
  OPSCOPE_TRY_ASSIGN(const store::RunId id, store.save(document, options.notes));
  OPSCOPE_TRY_ASSIGN(const store::StoreInfo info, store.info());
  return Saved{id, info.path};
}

/// Where the samples went instead, or why they could not.
std::string keepInFile(const report::Document& document) {
  const std::string name = fmt::format("opscope-run-{}.samples.json", getpid());
  const std::string text = report::toSamplesJson(document);
  std::error_code ignored;
  for (const std::filesystem::path& folder :
       {std::filesystem::current_path(ignored), std::filesystem::temp_directory_path(ignored)}) {
    const std::filesystem::path path = folder / name;
    if (!folder.empty() && base::writeFileAtomically(path, text)) {
      return fmt::format("The run is kept in {}; report and compare read it.", path.string());
    }
  }
  return "The run could not be kept in a file either.";
}

}  // namespace

base::Result<> checkSaving(const SaveOptions& options) {
  if (options.wanted) {
    OPSCOPE_TRY(openStore(options.store, store::Access::Write));
  }
  return {};
}

bool saveRun(const SaveOptions& options, const report::Document& document, bool outputIsFree,
             Console& console) {
  auto saved = save(options, document);
  if (!saved) {
    base::Error error = std::move(saved).error();
    error.detail += (error.detail.empty() ? "" : "\n") + keepInFile(document);
    console.error(error);
    return false;
  }
  console.note(fmt::format("saved as run {} in {}", saved->id, saved->path.string()));
  if (console.quiet() && outputIsFree) {
    return writeOut(console, fmt::format("{}\n", saved->id)) == kDone;
  }
  return true;
}

}  // namespace opscope::cli
