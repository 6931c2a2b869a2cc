// SPDX-License-Identifier: Apache-2.0
// What `runs` prints: for people, and as opscope.runs/1. Any thread; pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/report/run.h"
#include "engine/store/store.h"

namespace opscope::cli {

std::string runsText(const std::vector<store::StoredRun>& runs, std::optional<std::size_t> width);
/// "2 runs of 14, 3.2 MiB in /home/me/.local/share/opscope/runs.sqlite"
std::string storeText(const store::StoreInfo& info, std::size_t shown);
/// What was run, when and where, one fact a line.
std::string runFactsText(const store::StoredRun& run, const report::Run& measured);

std::string runsJson(const store::StoreInfo& info, const std::vector<store::StoredRun>& runs);
std::string runJson(const store::StoredRun& run, const report::Document& document);
std::string deletedJson(const store::StoreInfo& info, const std::vector<store::RunId>& ids);

std::string queryText(const store::QueryResult& result, std::optional<std::size_t> width);
std::string queryCsv(const store::QueryResult& result);
std::string queryJson(const store::QueryResult& result);

}  // namespace opscope::cli
