// SPDX-License-Identifier: Apache-2.0
#include "app/cli/profile_options.h"

#include <string>

#include "app/cli/option_builders.h"
#include "app/cli/option_checks.h"

namespace opscope::cli {

namespace {

constexpr std::uint32_t kMostRepeats = 1'000'000;
constexpr const char* kMeasuring = "Measuring";

void addOverhead(CLI::App& command, profile::OverheadCheck& check) {
  command
      .add_option_function<std::string>(
          "--overhead",
          [&check](const std::string& text) {
            check = text == "off"    ? profile::OverheadCheck::Off
                    : text == "full" ? profile::OverheadCheck::Full
                                     : profile::OverheadCheck::Auto;
          },
          "How many runs more are made without recording, to tell what that adds: auto takes at most 20 % "
          "more time or a quarter of a second, full one beside each (default auto)")
      ->check(oneOf({"auto", "off", "full"}))
      ->type_name("auto|off|full")
      ->group(kMeasuring);
}

void addCounters(CLI::App& command, std::string& counters) {
  command
      .add_option_function<std::string>(
          "--counters",
          [&command, &counters](const std::string& text) {
            counters = text;
            if (text == kListCounters) {
              command.get_option("FILE")->required(false);
            }
          },
          "Count events by op too: cycles,instructions,cache-misses; \"list\" shows what there is here")
      ->check(notEmpty())
      ->type_name("E,E")
      ->group(kMeasuring);
}

}  // namespace

void addMeasuring(CLI::App& command, ProfileOptions& options) {
  command.add_option("--warmup", options.warmup, "Runs before measuring (default 1)")
      ->group(kMeasuring)
      ->check(wholeNumber(0, kMostRepeats))
      ->type_name("N");
  command.add_option("--repeat", options.repeats, "Measured runs (default 10)")
      ->group(kMeasuring)
      ->check(wholeNumber(1, kMostRepeats))
      ->type_name("N");
  addOverhead(command, options.overhead);
  addCounters(command, options.counters);
  addFlag(command, "--memory", options.memory,
          "Record memory too: its peak and who holds it are told after the table, the rest goes to --samples "
          "and --trace",
          kMeasuring);
  addFlag(command, "--lanes", options.lanes,
          "Record parallel parts of kernels too: how well they used the threads is told after the table, the "
          "rest goes to --samples and --trace",
          kMeasuring);
  addFlag(command, "--all", options.all,
          "On every free board of the tracker that --target names, at once; named files get the board's "
          "address into their names",
          kMeasuring);
}

}  // namespace opscope::cli
