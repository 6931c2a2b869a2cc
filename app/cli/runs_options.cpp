// SPDX-License-Identifier: Apache-2.0
#include "app/cli/runs_options.h"

#include <fmt/format.h>
#include <algorithm>

#include "app/cli/document_output.h"
#include "app/cli/help_formatter.h"
#include "app/cli/option_builders.h"
#include "app/cli/option_checks.h"
#include "app/cli/run_source.h"
#include "app/cli/since.h"

namespace opscope::cli {

namespace {

constexpr const char* kRunHelp = "Number of a run, or last, last-1, ...";
constexpr const char* kJsonHelp = "Print JSON (schema opscope.runs/1)";

void addTags(CLI::App& command, const char* name, std::vector<std::string>& tags, const char* description,
             const char* group) {
  command.add_option(name, tags, description)
      ->check(notEmpty())
      ->type_name("TAG")
      ->allow_extra_args(false)
      ->group(group);
}

CLI::Validator runName(bool ranges) {
  return CLI::Validator([ranges](std::string& value) { return wrongRunName(value, ranges); }, "");
}

/// The one run that a command is about.
void addRun(CLI::App& command, std::string& run) {
  command.add_option("RUN", run, kRunHelp)
      ->check(notEmpty())
      ->check(runName(false))
      ->type_name("")
      ->required();
}

base::Error wrongUsage(std::string message, std::string hint = {}) {
  return {base::ErrorCode::InvalidArgument, std::move(message), "", std::move(hint)};
}

}  // namespace

void addSave(CLI::App& command, SaveOptions& save) {
  constexpr const char* kGroup = "Keeping the run";
  addFlag(command, "--save", save.wanted, "Save the run in the store (opscope-cli runs)", kGroup);
  command.add_option("--note", save.notes.note, "A note on the run")->type_name("WORDS")->group(kGroup);
  addTags(command, "--tag", save.notes.tags, "A tag to find it by; again for each", kGroup);
  addStore(command, save.store, kGroup);
}

CLI::App* RunsCommandLine::addCommand(CLI::App& runs, CommandLine& line, const char* name,
                                      const char* description, const char* examples) {
  CLI::App* const command = runs.add_subcommand(name, description);
  command->set_help_flag("-h,--help", "Print this help")->group(kCommonGroup);
  command->footer(fmt::format("Examples:\n{}", examples));
  addStore(*command, m_store);
  addFlag(*command, "-q,--quiet", line.quiet, "Print nothing but errors and what was asked for",
          kCommonGroup);
  addFlag(*command, "-v,--verbose", line.verbose, "Log what is done to standard error", kCommonGroup);
  return command;
}

void RunsCommandLine::add(CLI::App& runs, CommandLine& line) {
  runs.require_subcommand(1);
  addStore(runs, m_store);
  m_listCommand = addCommand(runs, line, "list", "List saved runs, the newest first",
                             "  opscope-cli runs list\n"
                             "  opscope-cli runs list --executable basic_pitch --tag nightly --since 7d\n"
                             "  opscope-cli runs list --json | jq '.runs[].median_us'");
  addList(*m_listCommand);
  m_showCommand = addCommand(runs, line, "show", "Show a run as profile did",
                             "  opscope-cli runs show 3\n  opscope-cli runs show last --wide");
  addRun(*m_showCommand, m_show.run);
  addFlag(*m_showCommand, "--wide", m_show.wide, kWideHelp);
  addFlag(*m_showCommand, "--json", m_show.json, kJsonHelp);
  m_deleteCommand = addCommand(runs, line, "delete", "Delete runs and give their space back",
                               "  opscope-cli runs delete 3\n"
                               "  opscope-cli runs delete 3-7 12 --yes\n"
                               "  opscope-cli runs delete --tag experiment --yes");
  addDelete(*m_deleteCommand);
  m_exportCommand = addCommand(runs, line, "export", "Write a run to files",
                               "  opscope-cli runs export 3 --json report.json --samples samples.json\n"
                               "  opscope-cli runs export last --trace - > trace.json");
  addRun(*m_exportCommand, m_export.run);
  addOutputs(*m_exportCommand, m_export.outputs, "Results (at least one)");
  m_noteCommand = addCommand(runs, line, "note", "Write the note of a run, in place of the old one",
                             "  opscope-cli runs note 3 \"before the fix\"\n  opscope-cli runs note 3 \"\"");
  addRun(*m_noteCommand, m_note.run);
  m_noteCommand->add_option("NOTE", m_note.note, "The note; \"\" takes it away")->type_name("")->required();
  m_tagCommand =
      addCommand(runs, line, "tag", "Put tags on a run, or take them off",
                 "  opscope-cli runs tag 3 baseline\n  opscope-cli runs tag last best --remove worst");
  addTag(*m_tagCommand);
  m_sqlCommand = addCommand(runs, line, "sql", "Query the store; nothing can be changed",
                            "  opscope-cli runs sql \"SELECT id, executable, median_us FROM runs\"\n"
                            "  opscope-cli runs sql \"SELECT name, avg(duration_us) FROM samples WHERE run = "
                            "3 GROUP BY 1\" --csv");
  addSql(*m_sqlCommand);
}

void RunsCommandLine::addList(CLI::App& command) {
  command
      .add_option("--executable", m_list.filter.executable,
                  "Only runs of files with this in their name, or with a hash that begins so")
      ->check(notEmpty())
      ->type_name("NAME");
  addTags(command, "--tag", m_list.filter.tags, "Only runs with this tag; again for each", "Options");
  command
      .add_option("--since", m_since, "Only runs started since: 2026-01-31, 2026-01-31T12:00 (UTC), 36h, 7d")
      ->check(notEmpty())
      ->type_name("TIME");
  command.add_option("--limit", m_limit, "The newest ones, at most so many")
      ->check(wholeNumber(1, 1'000'000'000))
      ->type_name("N");
  addFlag(command, "--json", m_list.json, kJsonHelp);
}

void RunsCommandLine::addDelete(CLI::App& command) {
  command.add_option("RUN", m_delete.runs, "Numbers of runs, or ranges of them: 3 7-9 last")
      ->check(notEmpty())
      ->check(runName(true))
      ->type_name("");
  addTags(command, "--tag", m_delete.tags, "All runs with this tag; again for each", "Options");
  addFlag(command, "--yes", m_delete.yes, "Delete more than one run");
  addFlag(command, "--json", m_delete.json, kJsonHelp);
}

void RunsCommandLine::addTag(CLI::App& command) {
  addRun(command, m_tag.run);
  command.add_option("TAG", m_tag.add, "Tags to put on it")->check(notEmpty())->type_name("");
  addTags(command, "--remove", m_tag.remove, "A tag to take off; again for each", "Options");
}

void RunsCommandLine::addSql(CLI::App& command) {
  addFile(command, "SQL", m_sql.sql, "One statement; docs/store.md tells the tables and views");
  command.add_option("--limit", m_sql.limit, "Rows at most (default 10000)")
      ->check(wholeNumber(1, 100'000'000))
      ->type_name("N");
  addFlag(command, "--json", m_sql.json, kJsonHelp);
  addFlag(command, "--csv", m_sql.csv, "Print CSV");
}

base::Result<RunsOptions> RunsCommandLine::take() {
  if (*m_listCommand) {
    if (!m_since.empty()) {
      OPSCOPE_TRY_ASSIGN(m_list.filter.since, sinceText(m_since));
    }
    if (m_limit > 0) {
      m_list.filter.limit = m_limit;
    }
    return RunsOptions{m_store, m_list};
  }
  if (*m_showCommand) {
    return RunsOptions{m_store, m_show};
  }
  if (*m_deleteCommand) {
    if (m_delete.runs.empty() && m_delete.tags.empty()) {
      return wrongUsage("No run is named.", "Name runs by their numbers, or by --tag.");
    }
    return RunsOptions{m_store, m_delete};
  }
  if (*m_exportCommand) {
    if (auto problem = conflictOfOutputs(m_export.outputs)) {
      return *std::move(problem);
    }
    return RunsOptions{m_store, m_export};
  }
  if (*m_noteCommand) {
    return RunsOptions{m_store, m_note};
  }
  if (*m_tagCommand) {
    if (m_tag.add.empty() && m_tag.remove.empty()) {
      return wrongUsage("No tag is named.");
    }
    return RunsOptions{m_store, m_tag};
  }
  if (m_sql.json && m_sql.csv) {
    return wrongUsage("--json and --csv exclude each other.");
  }
  return RunsOptions{m_store, m_sql};
}

}  // namespace opscope::cli
