// SPDX-License-Identifier: Apache-2.0
#include "app/cli/call_options.h"

#include <fmt/format.h>

#include "app/cli/option_checks.h"
#include "engine/session/input_spec.h"

namespace opscope::cli {

void addInputs(CLI::App& command, session::CallPlan& plan, RawCall& raw) {
  const std::string group = "Inputs";
  command
      .add_option("-f,--function", plan.function, "Function to call (default main, or the only public one)")
      ->check(notEmpty())
      ->type_name("NAME")
      ->group(group);
  command
      .add_option("-i,--input", raw.inputs,
                  "Value of a parameter, by its name or position; again for each. Without it: random values, "
                  "the same every time. VALUE is one of\n"
                  "random[:SEED[:LO:HI]], zeros, ones, range, const:3.5,\n"
                  "@FILE.npy, @FILE.npz:KEY\n"
                  "and a shape and type may stand in front where the file does not tell: "
                  "1x3x224x224:float32:random")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->group(group);
  command.add_option("--dim", raw.dimensions, "Size of a free dimension; again for each")
      ->type_name("NAME=SIZE")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("--inputs", plan.inputs.arraysFile, "Arrays named as the parameters, or arg0, arg1, ...")
      ->check(notEmpty())
      ->type_name("FILE.npz")
      ->group(group);
  command.add_option("--scenario", plan.scenarioFile, "A sequence of calls; its arrays come from --inputs")
      ->check(notEmpty())
      ->type_name("FILE.json")
      ->group(group);
}

void addTargetOf(CLI::App& command, const std::string& name, std::string& target, const std::string& words) {
  command.add_option(name, target, words)
      ->check(cli::target())
      ->type_name("TARGET")
      ->group("Where and how to run");
}

void addSettings(CLI::App& command, session::RunSettings& settings, RawCall& raw) {
  const std::string group = "Where and how to run";
  command
      .add_option("--target", settings.target,
                  "Where to run: local (default), isolated, rpc://HOST:PORT[/KEY], tracker://HOST:PORT/KEY")
      ->check(target())
      ->type_name("TARGET")
      ->group(group);
  command
      .add_option("--timeout", settings.timeoutSeconds,
                  "Longest wait for one answer of a board, and for a free board (default 600)")
      ->check(waitingTime())
      ->type_name("SECONDS")
      ->group(group);
  command.add_option("--secret-file", settings.secretFile, "File with the secret that opscope-server wants")
      ->check(notEmpty())
      ->type_name("FILE")
      ->group(group);
  command
      .add_option("--device", settings.device,
                  "Device, for example cpu:0 (default the first that the file needs)")
      ->check(notEmpty())
      ->check(device())
      ->type_name("DEVICE")
      ->group(group);
  command
      .add_option("--threads", settings.runtime.threads,
                  "Threads for kernels (default TVM_NUM_THREADS, then physical cores)")
      ->check(wholeNumber(1, 1024))
      ->type_name("N")
      ->group(group);
  command.add_option("--pin", raw.pin, "Bind each thread to a core (default on)")
      ->check(oneOf({"on", "off"}))
      ->type_name("on|off")
      ->group(group);
  command
      .add_option("--spin-us", settings.runtime.spinUs,
                  "How long idle threads spin before they sleep, in microseconds (default 300)")
      ->check(wholeNumber(0, 10'000'000))
      ->type_name("N")
      ->group(group);
  command.add_option("--allocator", raw.allocator, "Memory for tensors (default pooled)")
      ->check(oneOf({"naive", "pooled"}))
      ->type_name("naive|pooled")
      ->group(group);
  command
      .add_option("--plugin", settings.plugins,
                  "Library of functions that the executable needs; again for each")
      ->check(notEmpty())
      ->type_name("LIB.so")
      ->allow_extra_args(false)
      ->group(group);
}

std::optional<base::Error> takeRaw(const RawCall& raw, session::CallPlan& plan,
                                   session::RunSettings& settings) {
  for (const std::string& text : raw.inputs) {
    auto assignment = session::parseInputAssignment(text);
    if (!assignment) {
      return assignment.error();
    }
    if (!plan.inputs.values.insert(*assignment).second) {
      return base::Error{base::ErrorCode::InvalidArgument,
                         fmt::format("--input {} is given twice.", assignment->first), "", ""};
    }
  }
  for (const std::string& text : raw.dimensions) {
    auto assignment = session::parseDimensionAssignment(text);
    if (!assignment) {
      return assignment.error();
    }
    if (!plan.inputs.dimensions.insert(*assignment).second) {
      return base::Error{base::ErrorCode::InvalidArgument,
                         fmt::format("--dim {} is given twice.", assignment->first), "", ""};
    }
  }
  if (!plan.scenarioFile.empty() &&
      (!raw.inputs.empty() || !raw.dimensions.empty() || !plan.function.empty())) {
    return base::Error{base::ErrorCode::InvalidArgument, "--scenario goes with --inputs alone.",
                       "A scenario names its functions and inputs itself.",
                       "Leave out --function, --input and --dim."};
  }
  settings.runtime.pin = raw.pin != "off";
  settings.runtime.allocator =
      raw.allocator == "naive" ? runtime::AllocatorKind::Naive : runtime::AllocatorKind::Pooled;
  return std::nullopt;
}

}  // namespace opscope::cli
