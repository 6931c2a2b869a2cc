// SPDX-License-Identifier: Apache-2.0
// What is asked of the store on the command line, as plain values. Main thread.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "engine/store/store.h"

namespace opscope::cli {

/// profile --save
struct SaveOptions {
  bool wanted = false;
  std::string store;  ///< --store, or empty
  store::RunNotes notes;
};

struct RunsList {
  store::RunFilter filter;
  bool json = false;
};

struct RunsShow {
  std::string run;  ///< "3", "last", "last-1", each with "run:" or without
  bool wide = false;
  bool json = false;
};

struct RunsDelete {
  std::vector<std::string> runs;  ///< as above, or "3-7"
  std::vector<std::string> tags;
  bool yes = false;
  bool json = false;
};

struct RunsExport {
  std::string run;
  std::map<std::string, std::string> outputs;  ///< exporter's id to file or "-"
};

struct RunsNote {
  std::string run;
  std::string note;
};

struct RunsTag {
  std::string run;
  std::vector<std::string> add;
  std::vector<std::string> remove;
};

struct RunsSql {
  std::string sql;
  std::size_t limit = 10'000;
  bool json = false;
  bool csv = false;
};

struct RunsOptions {
  std::string store;  ///< --store, or empty
  std::variant<RunsList, RunsShow, RunsDelete, RunsExport, RunsNote, RunsTag, RunsSql> action;
};

}  // namespace opscope::cli
