// SPDX-License-Identifier: Apache-2.0
#include "app/cli/time_options.h"

#include "app/cli/option_checks.h"

namespace opscope::cli {

void addTimeOptions(CLI::App& command, profile::TimeSettings& timing) {
  constexpr std::int64_t kMostMs = 24 * 3600 * 1000;
  struct Option {
    const char* name;
    std::int64_t& value;
    std::int64_t least;
    std::int64_t most;
    const char* unit;
    const char* description;
  };
  const Option options[] = {
      {"--number", timing.number, 1, profile::kMostCalls, "N",
       "Calls of one repeat, timed together (default 10)"},
      {"--repeat", timing.repeat, 1, 1'000'000, "N",
       "Repeats; each gives the mean of its calls (default 10)"},
      {"--min-repeat-ms", timing.minRepeatMs, 0, kMostMs, "MS",
       "Make more calls until a repeat takes this long (default 0: as many as --number says)"},
      {"--limit-zero-time-iterations", timing.limitZeroTimeIterations, 0, 1'000'000, "N",
       "Try no longer when the clock shows nothing so often (default 100)"},
      {"--cooldown-interval-ms", timing.cooldownIntervalMs, 0, kMostMs, "MS",
       "Pause between repeats (default 0)"},
      {"--repeats-to-cooldown", timing.repeatsToCooldown, 1, 1'000'000, "N",
       "Pause after each so many repeats (default 1)"},
      {"--cache-flush-bytes", timing.cacheFlushBytes, 0, std::int64_t{1} << 40, "N",
       "Copy so many bytes before each repeat, so that it begins with cold caches (default 0)"},
  };
  for (const Option& option : options) {
    command.add_option(option.name, option.value, option.description)
        ->check(wholeNumber(option.least, option.most))
        ->type_name(option.unit)
        ->group("Measuring");
  }
}

}  // namespace opscope::cli
