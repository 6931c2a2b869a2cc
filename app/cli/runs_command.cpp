// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>

#include "app/cli/commands.h"
#include "app/cli/document_output.h"
#include "app/cli/exit_status.h"
#include "app/cli/run_source.h"
#include "app/cli/runs_output.h"
#include "app/cli/words.h"
#include "engine/base/near_match.h"
#include "engine/base/printable.h"
#include "engine/store/store_path.h"

namespace opscope::cli {

namespace {

using base::Error;
using base::ErrorCode;
using store::Access;
using store::RunId;
using store::Store;
/// The exit status, or what went wrong.
using Done = base::Result<int>;

class Commands {
 public:
  Commands(const std::string& store, Console& console, Interrupts& interrupts)
      : m_storeOption(store), m_console(console), m_interrupts(interrupts) {}

  Done operator()(const RunsList& options) {
    store::StoreInfo info;
    std::vector<store::StoredRun> runs;
    if (auto opened = open(Access::Read)) {
      OPSCOPE_TRY_ASSIGN(runs, opened->list(options.filter));
      OPSCOPE_TRY_ASSIGN(info, opened->info());
    } else if (opened.error().code == ErrorCode::NotFound && m_storeOption.empty()) {
      OPSCOPE_TRY_ASSIGN(info.path, store::storePath({}));  // nobody has saved a run yet
    } else {
      return std::move(opened).error();
    }
    if (options.json) {
      return writeOut(m_console, runsJson(info, runs));
    }
    const int status =
        runs.empty() ? kDone : writeOut(m_console, m_console.headed(runsText(runs, m_console.width())));
    m_console.note(runs.empty() && info.runs > 0 ? fmt::format("no run fits; {}", storeText(info, 0))
                                                 : storeText(info, runs.size()));
    return status;
  }

  Done operator()(const RunsShow& options) {
    OPSCOPE_TRY_ASSIGN(Store store, open(Access::Read));
    OPSCOPE_TRY_ASSIGN(const RunId id, runIdOf(store, options.run));
    OPSCOPE_TRY_ASSIGN(const store::StoredRun run, store.find(id));
    OPSCOPE_TRY_ASSIGN(const report::Document document, store.load(id));
    if (options.json) {
      return writeOut(m_console, runJson(run, document));
    }
    if (const int status = writeOut(m_console, runFactsText(run, *document.run) + "\n"); status != kDone) {
      return status;
    }
    const bool written = writeDocument({{"table", "-"}}, document, options.wide, m_console);
    tellWarnings(*document.run, m_console);
    return written ? kDone : kWorkFailed;
  }

  Done operator()(const RunsDelete& options) {
    OPSCOPE_TRY_ASSIGN(Store store, open(Access::Write));
    OPSCOPE_TRY_ASSIGN(const std::vector<RunId> ids, chosen(store, options));
    if (ids.size() > 1 && !options.yes) {
      m_console.error({ErrorCode::InvalidArgument,
                       fmt::format("This would delete {} runs: {}.", ids.size(), namesOf(ids)),
                       "Nothing was deleted.", "Say so with --yes."});
      return kWrongUsage;
    }
    OPSCOPE_TRY(store.remove(ids));
    OPSCOPE_TRY_ASSIGN(const store::StoreInfo info, store.info());
    if (options.json) {
      return writeOut(m_console, deletedJson(info, ids));
    }
    m_console.note(fmt::format("deleted {} {}; left: {}", ids.size() == 1 ? "run" : "runs", namesOf(ids),
                               storeText(info, static_cast<std::size_t>(info.runs))));
    return kDone;
  }

  Done operator()(const RunsExport& options) {
    Destinations wanted;
    std::ranges::copy_if(options.outputs, std::inserter(wanted, wanted.end()),
                         [](const auto& output) { return !output.second.empty(); });
    OPSCOPE_TRY(checkDestinations(wanted));
    OPSCOPE_TRY_ASSIGN(Store store, open(Access::Read));
    OPSCOPE_TRY_ASSIGN(const RunId id, runIdOf(store, options.run));
    OPSCOPE_TRY_ASSIGN(const report::Document document, store.load(id));
    m_interrupts.onFirst({});
    return writeFormats(wanted, document, true, m_console) ? kDone : kWorkFailed;
  }

  Done operator()(const RunsNote& options) {
    OPSCOPE_TRY_ASSIGN(Store store, open(Access::Write));
    OPSCOPE_TRY_ASSIGN(const RunId id, runIdOf(store, options.run));
    OPSCOPE_TRY(store.setNote(id, options.note));
    return kDone;
  }

  Done operator()(const RunsTag& options) {
    OPSCOPE_TRY_ASSIGN(Store store, open(Access::Write));
    OPSCOPE_TRY_ASSIGN(const RunId id, runIdOf(store, options.run));
    OPSCOPE_TRY_ASSIGN(const store::StoredRun run, store.find(id));
    for (const std::string& tag : options.remove) {
      if (std::ranges::find(run.tags, tag) == run.tags.end()) {
        m_console.note(fmt::format("run {} has no tag \"{}\"", id, base::printable(tag)));
      }
    }
    OPSCOPE_TRY(store.removeTags(id, options.remove));
    OPSCOPE_TRY(store.addTags(id, options.add));
    return kDone;
  }

  Done operator()(const RunsSql& options) {
    OPSCOPE_TRY_ASSIGN(Store store, open(Access::Read));
    m_interrupts.onFirst([&store] { store.interrupt(); });
    store::QueryLimits limits;
    limits.rows = options.limit;
    auto result = store.query(options.sql, limits);
    m_interrupts.onFirst({});
    if (!result) {
      return std::move(result).error();
    }
    const std::string text = options.json  ? queryJson(*result)
                             : options.csv ? queryCsv(*result)
                                           : m_console.headed(queryText(*result, m_console.width()));
    const int status = writeOut(m_console, text);
    if (result->cut) {
      m_console.note(
          fmt::format("cut after {}; --limit N shows more", countText(options.limit, "row", "rows")));
    }
    return status;
  }

 private:
  /// Until something is to be done at a Ctrl-C, the program just ends: the store is safe at any moment.
  base::Result<Store> open(Access access) {
    m_interrupts.onFirst([] { _exit(kInterrupted); });
    // What is changed must be there already.
    if (access == Access::Write) {
      OPSCOPE_TRY(openStore(m_storeOption, Access::Read));
    }
    return openStore(m_storeOption, access);
  }

  static base::Result<std::vector<RunId>> chosen(Store& store, const RunsDelete& options) {
    OPSCOPE_TRY_ASSIGN(std::vector<RunId> ids, runIdsOf(store, options.runs));
    for (const std::string& tag : options.tags) {
      OPSCOPE_TRY_ASSIGN(const std::vector<store::StoredRun> runs, store.list({"", {tag}, "", {}}));
      if (runs.empty()) {
        return Error{ErrorCode::NotFound, fmt::format("No run has the tag \"{}\".", tag), "",
                     "opscope-cli runs list shows the tags."};
      }
      for (const store::StoredRun& run : runs) {
        ids.push_back(run.id);
      }
    }
    std::ranges::sort(ids);
    ids.erase(std::ranges::unique(ids).begin(), ids.end());
    return ids;
  }

  static std::string namesOf(const std::vector<RunId>& ids) {
    std::vector<std::string> names;
    for (const RunId id : ids) {
      names.push_back(std::to_string(id));
    }
    return base::joinNames(names);
  }

  const std::string& m_storeOption;
  Console& m_console;
  Interrupts& m_interrupts;
};

}  // namespace

int runs(const RunsOptions& options, Console& console, Interrupts& interrupts) {
  const Done done = std::visit(Commands(options.store, console, interrupts), options.action);
  interrupts.onFirst({});
  if (done) {
    return *done;
  }
  if (done.error().code == ErrorCode::Cancelled) {
    console.note("interrupted");
    return kInterrupted;
  }
  console.error(done.error());
  return kWorkFailed;
}

}  // namespace opscope::cli
