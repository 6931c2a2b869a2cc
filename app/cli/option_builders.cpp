// SPDX-License-Identifier: Apache-2.0
#include "app/cli/option_builders.h"

#include <fmt/format.h>

#include "app/cli/option_checks.h"
#include "engine/report/exporters.h"

namespace opscope::cli {

void addFlag(CLI::App& command, const std::string& name, bool& value, const std::string& description,
             const std::string& group) {
  command.add_flag(name, value, description)->disable_flag_override()->group(group);
}

void addFile(CLI::App& command, const char* name, std::string& path, const char* description) {
  command.add_option(name, path, description)->check(notEmpty())->type_name("")->required();
}

void addStore(CLI::App& command, std::string& path, const std::string& group) {
  command.add_option("--store", path, "Store of saved runs (default $OPSCOPE_STORE, then the usual place)")
      ->check(notEmpty())
      ->type_name("FILE")
      ->group(group);
}

void addOutputs(CLI::App& command, std::map<std::string, std::string>& outputs, const std::string& group) {
  for (const report::Exporter& exporter : report::exporters()) {
    command
        .add_option(fmt::format("--{}", exporter.id), outputs[std::string(exporter.id)],
                    fmt::format("{}; - is standard output", exporter.title))
        ->check(notEmpty())
        ->type_name("FILE")
        ->group(group);
  }
}

}  // namespace opscope::cli
