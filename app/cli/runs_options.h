// SPDX-License-Identifier: Apache-2.0
// The options of `runs` and its commands, and those of saving. Main thread, while the command line is parsed.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "app/cli/options.h"
#include "engine/base/result.h"

namespace opscope::cli {

/// --save, --note, --tag, --store.
void addSave(CLI::App& command, SaveOptions& save);

class RunsCommandLine {
 public:
  /// `runs` is the command; `line` gets --quiet and --verbose. Both outlive the parsing.
  void add(CLI::App& runs, CommandLine& line);

  /// What was chosen, after parsing. Errors: what CLI11 cannot check.
  base::Result<RunsOptions> take();

 private:
  CLI::App* addCommand(CLI::App& runs, CommandLine& line, const char* name, const char* description,
                       const char* examples);
  void addList(CLI::App& command);
  void addDelete(CLI::App& command);
  void addTag(CLI::App& command);
  void addSql(CLI::App& command);

  CLI::App* m_listCommand = nullptr;
  CLI::App* m_showCommand = nullptr;
  CLI::App* m_deleteCommand = nullptr;
  CLI::App* m_exportCommand = nullptr;
  CLI::App* m_noteCommand = nullptr;
  CLI::App* m_tagCommand = nullptr;
  CLI::App* m_sqlCommand = nullptr;
  std::string m_store;
  std::string m_since;
  std::size_t m_limit = 0;
  RunsList m_list;
  RunsShow m_show;
  RunsDelete m_delete;
  RunsExport m_export;
  RunsNote m_note;
  RunsTag m_tag;
  RunsSql m_sql;
};

}  // namespace opscope::cli
