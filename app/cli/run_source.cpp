// SPDX-License-Identifier: Apache-2.0
#include "app/cli/run_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "app/cli/words.h"
#include "engine/report/document_reader.h"
#include "engine/store/store_head.h"
#include "engine/store/store_path.h"

namespace opscope::cli {

namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using store::RunId;

constexpr std::string_view kPrefix = "run:";
constexpr std::string_view kLast = "last";

std::string_view withoutPrefix(std::string_view text) {
  return text.starts_with(kPrefix) ? text.substr(kPrefix.size()) : text;
}

Error noRunNumber(std::string_view text) {
  return {ErrorCode::InvalidArgument, fmt::format("\"{}\" names no run.", text),
          "A run is named by its number, or as last, last-1 and so on.",
          "opscope-cli runs list shows the numbers."};
}

/// As runs are named where only they may stand.
bool looksLikeRun(std::string_view text) {
  return text.starts_with(kLast) || wholeNumberIn(text);
}

Result<std::vector<RunId>> idsOfRange(store::Store& store, std::string_view text, std::int64_t first,
                                      std::int64_t last) {
  OPSCOPE_TRY_ASSIGN(const std::vector<store::StoredRun> runs, store.list({}));
  std::vector<RunId> ids;
  for (const store::StoredRun& run : runs) {
    if (run.id >= first && run.id <= last) {
      ids.push_back(run.id);
    }
  }
  if (ids.empty()) {
    return Error{ErrorCode::NotFound, fmt::format("There is no run from {} to {}.", first, last), "",
                 first > last ? fmt::format("{} begins behind its end.", text)
                              : "opscope-cli runs list shows the numbers."};
  }
  return ids;
}

/// Session files and stores are SQLite's. A pipe is not looked into: what is read of it is gone.
bool isStoreFile(const std::string& path) {
  const Result<std::string> head = store::readHead(path, store::kStoreMagic.size());
  return head && store::looksLikeStore(*head);
}

/// The run of a session file. A store of several does not tell which is meant.
Result<report::Document> documentOfSession(const std::string& path) {
  OPSCOPE_TRY_ASSIGN(store::Store store, store::Store::open(path, store::Access::Read));
  OPSCOPE_TRY_ASSIGN(const std::vector<store::StoredRun> runs, store.list({}));
  if (runs.size() == 1) {
    return store.load(runs.front().id);
  }
  if (runs.empty()) {
    return Error{ErrorCode::NotFound, fmt::format("{} holds no run.", path), "", ""};
  }
  return Error{ErrorCode::InvalidArgument, fmt::format("{} is a store of {} runs.", path, runs.size()), "",
               fmt::format("Name the run: run:{} --store {}", runs.front().id, path)};
}

}  // namespace

Result<store::Store> openStore(const std::string& option, store::Access access) {
  OPSCOPE_TRY_ASSIGN(const std::filesystem::path path, store::storePath(option));
  if (access == store::Access::Write) {
    OPSCOPE_TRY(store::makeStoreFolder(option));
  }
  return store::Store::open(path, access);
}

bool namesSavedRun(std::string_view argument) {
  return argument.starts_with(kPrefix);
}

Result<report::Document> documentFrom(const std::string& argument, const std::string& storeOption) {
  if (!namesSavedRun(argument)) {
    if (isStoreFile(argument)) {
      return documentOfSession(argument);
    }
    Result<report::Document> document = report::readDocument(argument);
    if (!document && looksLikeRun(argument) && !std::filesystem::exists(argument)) {
      Error error = std::move(document).error();
      error.hint = fmt::format("If the saved run {0} is meant, write run:{0}.", argument);
      return error;
    }
    return document;
  }
  OPSCOPE_TRY_ASSIGN(store::Store store, openStore(storeOption, store::Access::Read));
  OPSCOPE_TRY_ASSIGN(const RunId id, runIdOf(store, argument));
  return store.load(id);
}

std::string wrongRunName(std::string_view text, bool ranges) {
  const std::string_view name = withoutPrefix(text);
  if (name == kLast || wholeNumberIn(name)) {
    return {};
  }
  const std::size_t dash = name.find('-');
  const std::string_view from = name.substr(0, dash);
  const auto to = dash == std::string_view::npos ? std::nullopt : wholeNumberIn(name.substr(dash + 1));
  if (from == kLast && to) {
    return {};
  }
  const auto first = wholeNumberIn(from);
  if (ranges && first && to) {
    return *first <= *to ? "" : fmt::format("is a range that begins behind its end: \"{}\"", text);
  }
  return fmt::format("needs the number of a run{}, or last, last-1 and so on, found \"{}\"",
                     ranges ? " or a range of them" : "", text);
}

Result<RunId> runIdOf(store::Store& store, std::string_view text) {
  const std::string_view name = withoutPrefix(text);
  if (name == kLast) {
    return store.newest(0);
  }
  if (name.starts_with(kLast) && name.substr(kLast.size()).starts_with('-')) {
    if (const auto back = wholeNumberIn(name.substr(kLast.size() + 1))) {
      return store.newest(static_cast<std::size_t>(*back));
    }
  }
  if (const auto id = wholeNumberIn(name)) {
    return *id;
  }
  return noRunNumber(text);
}

Result<std::vector<RunId>> runIdsOf(store::Store& store, const std::vector<std::string>& texts) {
  std::set<RunId> ids;
  for (const std::string& text : texts) {
    const std::string_view name = withoutPrefix(text);
    const std::size_t dash = name.find('-');
    const auto first = wholeNumberIn(name.substr(0, dash));
    const auto last = dash == std::string_view::npos ? std::nullopt : wholeNumberIn(name.substr(dash + 1));
    if (first && last) {
      OPSCOPE_TRY_ASSIGN(const std::vector<RunId> range, idsOfRange(store, text, *first, *last));
      ids.insert(range.begin(), range.end());
    } else {
      OPSCOPE_TRY_ASSIGN(const RunId id, runIdOf(store, text));
      ids.insert(id);
    }
  }
  return std::vector<RunId>(ids.begin(), ids.end());
}

}  // namespace opscope::cli
