// SPDX-License-Identifier: Apache-2.0
#include "app/cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <optional>

#include "app/cli/board_options.h"
#include "app/cli/call_options.h"
#include "app/cli/document_output.h"
#include "app/cli/exit_status.h"
#include "app/cli/help_formatter.h"
#include "app/cli/option_builders.h"
#include "app/cli/option_checks.h"
#include "app/cli/profile_options.h"
#include "app/cli/runs_options.h"
#include "app/cli/standard_streams.h"
#include "app/cli/time_options.h"
#include "engine/base/error.h"
#include "engine/base/near_match.h"
#include "opscope/version.h"

namespace opscope::cli {

namespace {

constexpr const char* kResults = "Results (without any: the table)";
constexpr const char* kExecutable = "Executable compiled by TVM";

void addCommon(CLI::App& command, CommandLine& line) {
  addFlag(command, "-q,--quiet", line.quiet, "Print nothing but errors and what goes to \"-\"", kCommonGroup);
  addFlag(command, "-v,--verbose", line.verbose, "Log what is done to standard error", kCommonGroup);
}

std::optional<base::Error> problemOfAll(const ProfileOptions& options) {
  if (!options.settings.target.starts_with("tracker://")) {
    return base::Error{base::ErrorCode::InvalidArgument, "--all goes with a tracker as the target.", "",
                       "Give --target tracker://HOST:PORT/KEY."};
  }
  for (const auto& [id, path] : options.outputs) {
    if (path == "-") {
      return base::Error{base::ErrorCode::InvalidArgument, fmt::format("--{} - does not go with --all.", id),
                         "Each board writes a file of its own.", "Name a file."};
    }
  }
  return std::nullopt;
}

std::optional<base::Error> problemOf(const ProfileOptions& options) {
  const bool hasNotes = !options.save.notes.note.empty() || !options.save.notes.tags.empty();
  if (!options.save.wanted && (hasNotes || !options.save.store.empty())) {
    return base::Error{base::ErrorCode::InvalidArgument, "--note, --tag and --store go with --save.", "",
                       "Add --save to keep the run in the store."};
  }
  if (options.all) {
    return problemOfAll(options);
  }
  return conflictOfStreams(options.outputs);
}

std::optional<base::Error> problemOf(const RunOptions& options) {
  return conflictOfStreams(
      {{"outputs", options.outputs}, {"dump", options.dump}, {"json", options.json ? "-" : ""}});
}

class Parser {
 public:
  Parser() {
    m_app.name("opscope-cli");
    m_app.require_subcommand(1);
    m_app.formatter(std::make_shared<HelpFormatter>());
    m_app.set_help_flag("-h,--help", "Print this help")->group(kCommonGroup);
    m_app.set_version_flag("--version", "opscope-cli " OPSCOPE_VERSION, "Print the version")
        ->group(kCommonGroup);
    m_app.footer(
        "Examples:\n"
        "  opscope-cli inspect basic_pitch.so\n"
        "  opscope-cli run basic_pitch.so --outputs out.npz\n"
        "  opscope-cli profile basic_pitch.so --repeat 30 --json report.json\n"
        "  opscope-cli report report.json --format csv\n\n"
        "basic_pitch.so is the sample, in resources/samples or share/opscope/samples.\n"
        "opscope-cli COMMAND --help tells more.\n"
        "Exit status: 0 done, 1 failed, 2 wrong command line, 3 a check does not hold,\n"
        "130 interrupted.");
    addCommon(m_app, m_line);  // before the command too
    addInspect();
    addRun();
    addProfile();
    addTime();
    addDiverge();
    addCompare();
    addSweep();
    addReport();
    addServe();
    addBoardCommands();
    m_runs.add(*add("runs", "The store of saved runs: list, show, delete, export, query",
                    "  opscope-cli runs list --executable basic_pitch --limit 10\n"
                    "  opscope-cli runs show last\n"
                    "  opscope-cli runs sql \"SELECT name, avg(duration_us) FROM samples WHERE run = 3 GROUP "
                    "BY name\""),
               m_line);
  }

  CommandLine parse(int argc, const char* const* argv) {
    try {
      m_app.parse(argc, argv);
    } catch (const CLI::Success& success) {  // --help, --version
      m_app.exit(success);
      return ended(kDone);
    } catch (const CLI::ParseError& error) {
      if (m_app.get_subcommands().empty() && argc > 1) {
        return unknownCommand(argv[1]);
      }
      return wrong({base::ErrorCode::InvalidArgument, wordsOf(error), "", ""});
    }
    if (*m_inspect) {
      m_line.command = m_inspectOptions;
    } else if (*m_run) {
      return finish(m_runOptions, problemOf(m_runOptions),
                    {{"--outputs", m_runOptions.outputs}, {"--dump", m_runOptions.dump}});
    } else if (*m_profile) {
      std::vector<NamedPath> outputs;
      for (const auto& [id, path] : m_profileOptions.outputs) {
        outputs.emplace_back("--" + id, path);
      }
      return finish(m_profileOptions, problemOf(m_profileOptions), outputs);
    } else if (*m_time) {
      return finish(m_timeOptions, std::nullopt, {});
    } else if (*m_diverge) {
      return finishDiverge();
    } else if (*m_compare) {
      if (auto problem = problemOf(m_compareOptions)) {
        return wrong(*problem);
      }
      m_line.command = m_compareOptions;
    } else if (*m_sweep) {
      return finishSweepCommand();
    } else if (*m_report) {
      return finishReport();
    } else if (*m_boards) {
      m_line.command = m_boardsOptions;
    } else if (*m_check) {
      m_line.command = m_checkOptions;
    } else if (*m_serve) {
      m_line.command = ServeOptions{m_serve->remaining()};
    } else {
      return finishRuns();
    }
    return m_line;
  }

 private:
  CLI::App* add(const char* name, const char* description, const char* examples) {
    CLI::App* command = m_app.add_subcommand(name, description);
    command->set_help_flag("-h,--help", "Print this help")->group(kCommonGroup);
    command->footer(fmt::format("Examples:\n{}", examples));
    addCommon(*command, m_line);
    return command;
  }

  /// Its words, --help too, are the server's own.
  void addServe() {
    m_serve =
        m_app.add_subcommand("serve", "Let other computers run and profile on this one (opscope-server)");
    m_serve->set_help_flag();
    m_serve->prefix_command();
  }

  void addInspect() {
    m_inspect = add("inspect", "Tell what an executable holds; nothing of it is run",
                    "  opscope-cli inspect basic_pitch.so\n"
                    "  opscope-cli inspect basic_pitch.so --bytecode | less\n"
                    "  opscope-cli inspect basic_pitch.so --json | jq '.functions[].name'");
    addFile(*m_inspect, "FILE", m_inspectOptions.file, kExecutable);
    addFlag(*m_inspect, "--bytecode", m_inspectOptions.bytecode, "List the instructions too");
    addFlag(*m_inspect, "--json", m_inspectOptions.json, "Print JSON (schema opscope.inspect/1)");
    addFlag(*m_inspect, "--all", m_inspectOptions.all,
            "Cut nothing on a terminal: whole lines, whole lists (a pipe gets them anyhow)");
  }

  void addBoardCommands() {
    m_boards = add("boards", "Tell which boards a tracker knows, and how many are free",
                   "  opscope-cli boards lab:9190\n"
                   "  opscope-cli boards lab:9190 --json | jq '.keys[] | select(.free > 0)'");
    addBoardsOptions(*m_boards, m_boardsOptions);
    m_check = add("check", "Go the way to a board step by step, and tell where it ends and why",
                  "  opscope-cli check rpc://10.0.0.7:9090\n"
                  "  opscope-cli check tracker://lab:9190/raspi4\n"
                  "  opscope-cli check rpc://10.0.0.7:9090/raspi4 --json | jq .failure.hint");
    addCheckOptions(*m_check, m_checkOptions);
  }

  void addRun() {
    m_run = add("run", "Call a function once and tell or save what it returns",
                "  opscope-cli run basic_pitch.so\n"
                "  opscope-cli run basic_pitch.so --input 0=random:1 --outputs out.npz\n"
                "  opscope-cli run model.so -f forward --dim n=8 --input x=@image.npy\n"
                "  opscope-cli run llm.so --scenario chat.json --inputs weights.npz --outputs out.npz\n"
                "  opscope-cli run model.so --check-finite\n"
                "  opscope-cli run model.so --dump calls.npz\n"
                "  python3 -c 'import numpy; print(numpy.load(\"calls.npz\").files)'");
    addFile(*m_run, "FILE", m_runOptions.file, kExecutable);
    m_run->add_option("--outputs", m_runOptions.outputs, "Save the results as arrays; - is standard output")
        ->check(notEmpty())
        ->type_name("OUT.npz");
    addFlag(*m_run, "--json", m_runOptions.json, "Print JSON (schema opscope.run/1)");
    const std::string looking = "Looking into the run";
    m_run
        ->add_option(
            "--dump", m_runOptions.dump,
            "Save the tensors of every call as arrays, after the call: 12/add/arg0, 12/add/ret; - is "
            "standard output")
        ->check(notEmpty())
        ->type_name("OUT.npz")
        ->group(looking);
    m_run
        ->add_option("--dump-limit", m_runOptions.dumpLimitMb,
                     "Dump no call beyond this size in MB; the run goes on (default 8192)")
        ->check(wholeNumber(1, std::int64_t{1} << 40))
        ->type_name("MB")
        ->group(looking);
    addFlag(*m_run, "--check-finite", m_runOptions.checkFinite,
            "Stop at the first call that gives NaN or Inf, and tell where they come from; exit status 3",
            looking);
    addInputs(*m_run, m_runOptions.plan, m_raw);
    addSettings(*m_run, m_runOptions.settings, m_raw);
  }

  void addProfile() {
    m_profile = add("profile", "Measure the time of each op",
                    "  opscope-cli profile basic_pitch.so\n"
                    "  opscope-cli profile basic_pitch.so --repeat 30 --warmup 3 --threads 4\n"
                    "  opscope-cli profile basic_pitch.so --json report.json --trace trace.json\n"
                    "  opscope-cli profile basic_pitch.so --json - | jq '.calls | length'\n"
                    "  opscope-cli profile basic_pitch.so --save --note \"before the fix\" --tag nightly\n"
                    "  opscope-cli profile model.so --dim n=8 --input x=zeros");
    addFile(*m_profile, "FILE", m_profileOptions.file, kExecutable);
    addMeasuring(*m_profile, m_profileOptions);
    addOutputs(*m_profile, m_profileOptions.outputs, kResults);
    addFlag(*m_profile, "--wide", m_profileOptions.wide, kWideHelp, kResults);
    addSave(*m_profile, m_profileOptions.save);
    addInputs(*m_profile, m_profileOptions.plan, m_raw);
    addSettings(*m_profile, m_profileOptions.settings, m_raw);
  }

  void addTime() {
    m_time = add("time", "Measure a whole call many times, as TVM's time evaluator does",
                 "  opscope-cli time basic_pitch.so\n"
                 "  opscope-cli time model.so --number 100 --repeat 30\n"
                 "  opscope-cli time model.so --min-repeat-ms 200 --cooldown-interval-ms 50\n"
                 "  opscope-cli time model.so --json | jq .median_us");
    addFile(*m_time, "FILE", m_timeOptions.file, kExecutable);
    addTimeOptions(*m_time, m_timeOptions.timing);
    addFlag(*m_time, "--json", m_timeOptions.json, "Print JSON (schema opscope.time/1)");
    addInputs(*m_time, m_timeOptions.plan, m_raw);
    addSettings(*m_time, m_timeOptions.settings, m_raw);
  }

  void addDiverge() {
    m_diverge = add("diverge", "Find the first op whose output differs between two executables",
                    "  opscope-cli diverge model_generic.so model_avx2.so\n"
                    "  opscope-cli diverge before.so after.so --rtol 1e-3 --atol 1e-4 --input x=@image.npy\n"
                    "  opscope-cli diverge a.so b.so --scenario chat.json --inputs weights.npz\n"
                    "  opscope-cli diverge model_x86.so model_arm.so --target-b rpc://10.0.0.7:9090\n"
                    "  opscope-cli diverge a.so b.so --json | jq '.calls[.first]'");
    addFile(*m_diverge, "A", m_divergeOptions.fileA, "Executable compiled by TVM: the reference");
    addFile(*m_diverge, "B", m_divergeOptions.fileB, "The other one; both get the same inputs");
    m_diverge
        ->add_option("--rtol", m_divergeOptions.rtol,
                     "Values agree when |b - a| <= atol + rtol * |a| (default 1e-5)")
        ->check(notNegative())
        ->type_name("R");
    m_diverge->add_option("--atol", m_divergeOptions.atol, "As above (default 1e-5)")
        ->check(notNegative())
        ->type_name("A");
    addFlag(*m_diverge, "--json", m_divergeOptions.json, "Print JSON (schema opscope.diverge/1)");
    addFlag(*m_diverge, "--wide", m_divergeOptions.wide, kWideTableHelp);
    addInputs(*m_diverge, m_divergeOptions.plan, m_raw);
    addSettings(*m_diverge, m_divergeOptions.settings, m_raw);
    addTargetOf(*m_diverge, "--target-a", m_divergeOptions.targetA, "Where A runs, instead of --target");
    addTargetOf(*m_diverge, "--target-b", m_divergeOptions.targetB, "Where B runs, instead of --target");
    m_diverge
        ->add_option("--secret-file-b", m_divergeOptions.secretFileB,
                     "File with the secret of the server where B runs, instead of --secret-file")
        ->type_name("FILE");
  }

  void addCompare() {
    m_compare =
        add("compare", "Hold two measurements against each other, op by op, with verdicts",
            "  opscope-cli compare before.samples.json after.samples.json\n"
            "  opscope-cli compare run:last-1 run:last\n"
            "  opscope-cli compare run:3 run:last --fail-above 5 --junit compare.xml\n"
            "  opscope-cli compare a.json b.json --markdown - >> \"$GITHUB_STEP_SUMMARY\"\n"
            "  opscope-cli compare a.json b.json --json | jq '.ops[] | select(.verdict == \"slower\")'");
    addCompareOptions(*m_compare, m_compareOptions);
  }

  void addSweep() {
    m_sweep = add("sweep", "Profile once for each value of a free dimension or of the number of threads",
                  "  opscope-cli sweep model.so --over n=1,2,4,8\n"
                  "  opscope-cli sweep model.so --over threads=1..4 --dim n=8 --repeat 30\n"
                  "  opscope-cli sweep model.so --over n=1,2,4 --csv scaling.csv --save --tag scaling\n"
                  "  opscope-cli sweep model.so --over n=1,2,4 --json | jq '.ops[] | [.name, .exponent]'");
    addFile(*m_sweep, "FILE", m_sweepOptions.file, kExecutable);
    addSweepOptions(*m_sweep, m_sweepOptions);
    addInputs(*m_sweep, m_sweepOptions.plan, m_raw);
    addSettings(*m_sweep, m_sweepOptions.settings, m_raw);
  }

  void addReport() {
    m_report = add("report", "Read a TVM report, samples or a trace, and write it in another form",
                   "  opscope-cli report report.json\n"
                   "  opscope-cli report report.json --no-sort --no-aggregate\n"
                   "  opscope-cli report report.json --format csv > report.csv\n"
                   "  opscope-cli report trace.json --format html > page.html\n"
                   "  opscope-cli report run:last --no-aggregate");
    addFile(*m_report, "FILE", m_reportOptions.file,
            "TVM report (JSON or CSV), samples, a trace in Chrome's format, or a saved run: run:3, run:last, "
            "run:last-1");
    m_report
        ->add_option("--format", m_reportOptions.format, "table (default), json, csv, samples, trace or html")
        ->check(oneOf({"table", "json", "csv", "samples", "trace", "html"}))
        ->type_name("FORMAT");
    addFlag(*m_report, "--no-sort", m_reportOptions.keepOrder, "Keep the order of the calls");
    addFlag(*m_report, "--no-aggregate", m_reportOptions.everyCall, "One row for each call, not for each op");
    addFlag(*m_report, "--no-sums", m_reportOptions.noSums, "Leave out the row of sums");
    addFlag(*m_report, "--wide", m_reportOptions.wide, kWideHelp);
    addStore(*m_report, m_reportOptions.store);
  }

  template <class Options>
  CommandLine finish(Options& options, std::optional<base::Error> problem,
                     const std::vector<NamedPath>& outputs) {
    if (!problem) {
      problem = conflictOfPaths(outputs, {{"the executable", options.file},
                                          {"--inputs", options.plan.inputs.arraysFile},
                                          {"--scenario", options.plan.scenarioFile}});
    }
    if (!problem) {
      problem = takeRaw(m_raw, options.plan, options.settings);
    }
    if (problem) {
      return wrong(*problem);
    }
    m_line.command = options;
    return m_line;
  }

  CommandLine finishDiverge() {
    if (auto problem = takeRaw(m_raw, m_divergeOptions.plan, m_divergeOptions.settings)) {
      return wrong(*problem);
    }
    m_line.command = m_divergeOptions;
    return m_line;
  }

  /// What the sweep varies is held against the other options, which must be known first.
  CommandLine finishSweepCommand() {
    auto problem = takeRaw(m_raw, m_sweepOptions.plan, m_sweepOptions.settings);
    if (!problem) {
      problem = finishSweep(m_sweepOptions);
    }
    if (!problem) {
      problem = conflictOfPaths({{"--csv", m_sweepOptions.csv}},
                                {{"the executable", m_sweepOptions.file},
                                 {"--inputs", m_sweepOptions.plan.inputs.arraysFile},
                                 {"--scenario", m_sweepOptions.plan.scenarioFile}});
    }
    if (problem) {
      return wrong(*problem);
    }
    m_line.command = m_sweepOptions;
    return m_line;
  }

  CommandLine finishReport() {
    const bool plain = !m_reportOptions.keepOrder && !m_reportOptions.everyCall && !m_reportOptions.noSums;
    if (m_reportOptions.format != "table" && !plain) {
      return wrong({base::ErrorCode::InvalidArgument,
                    "--no-sort, --no-aggregate and --no-sums go with --format table.",
                    fmt::format("--format {} always holds every call as it is.", m_reportOptions.format),
                    ""});
    }
    m_line.command = m_reportOptions;
    return m_line;
  }

  CommandLine finishRuns() {
    auto options = m_runs.take();
    if (!options) {
      return wrong(options.error());
    }
    m_line.command = std::move(*options);
    return m_line;
  }

  CommandLine unknownCommand(const std::string& word) {
    std::vector<std::string> names;
    for (const CLI::App* command : m_app.get_subcommands({})) {
      names.push_back(command->get_name());
    }
    const std::string near = base::nearMatch(word, names);
    const bool isOption = word.starts_with('-');
    return wrong({base::ErrorCode::InvalidArgument,
                  isOption
                      ? fmt::format("{} is no option of opscope-cli itself, and no command is named", word)
                      : fmt::format("There is no command \"{}\"", word),
                  fmt::format("The commands are {}.", base::joinNames(names)),
                  near.empty() ? "" : fmt::format("Did you mean {}?", near)});
  }

  CommandLine ended(int status) {
    m_line.command = Ended{status};
    return m_line;
  }

  CommandLine wrong(base::Error error) {
    if (error.hint.empty()) {
      std::string chosen;
      for (auto commands = m_app.get_subcommands(); !commands.empty();
           commands = commands.front()->get_subcommands()) {
        chosen += commands.front()->get_name() + " ";
      }
      error.hint = fmt::format("opscope-cli {}--help shows what there is.", chosen);
    }
    writeStandardError(base::formatError(error));
    return ended(kWrongUsage);
  }

  CLI::App m_app{"Opens executables compiled by Apache TVM, runs them and shows time by op"};
  CLI::App* m_inspect = nullptr;
  CLI::App* m_run = nullptr;
  CLI::App* m_profile = nullptr;
  CLI::App* m_time = nullptr;
  CLI::App* m_diverge = nullptr;
  CLI::App* m_compare = nullptr;
  CLI::App* m_sweep = nullptr;
  CLI::App* m_report = nullptr;
  CLI::App* m_boards = nullptr;
  CLI::App* m_check = nullptr;
  CLI::App* m_serve = nullptr;
  InspectOptions m_inspectOptions;
  RunOptions m_runOptions;
  ProfileOptions m_profileOptions;
  TimeOptions m_timeOptions;
  DivergeOptions m_divergeOptions;
  CompareOptions m_compareOptions;
  SweepOptions m_sweepOptions;
  ReportOptions m_reportOptions;
  BoardsOptions m_boardsOptions;
  CheckBoardOptions m_checkOptions;
  RunsCommandLine m_runs;
  RawCall m_raw;
  CommandLine m_line;
};

}  // namespace

CommandLine parseCommandLine(int argc, const char* const* argv) {
  return Parser().parse(argc, argv);
}

}  // namespace opscope::cli
