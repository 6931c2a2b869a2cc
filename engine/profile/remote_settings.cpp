// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "engine/profile/remote_recorder.h"

namespace opscope::profile {

namespace {

using nlohmann::json;

constexpr std::pair<OverheadCheck, const char*> kChecks[] = {
    {OverheadCheck::Off, "off"}, {OverheadCheck::Auto, "auto"}, {OverheadCheck::Full, "full"}};
constexpr std::uint64_t kMostRepeats = 100'000'000;
constexpr std::size_t kMostTexts = 1'000'000;

base::Error wrong(const std::string& member, const std::string& expected) {
  return {base::ErrorCode::InvalidArgument,
          fmt::format("The settings of the recording are wrong: {}.", member),
          fmt::format("Expected {}.", expected), ""};
}

base::Result<> read(const json& value, const std::string& name, std::uint32_t& out) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kMostRepeats) {
    return wrong(name, fmt::format("a number from 0 to {}", kMostRepeats));
  }
  out = value.get<std::uint32_t>();
  return {};
}

base::Result<> read(const json& value, const std::string& name, bool& out) {
  if (!value.is_boolean()) {
    return wrong(name, "true or false");
  }
  out = value.get<bool>();
  return {};
}

base::Result<> read(const json& value, const std::string& name, std::string& out) {
  if (!value.is_string()) {
    return wrong(name, "a text");
  }
  out = value.get<std::string>();
  return {};
}

base::Result<> read(const json& value, const std::string& name, std::vector<std::string>& out) {
  if (!value.is_array() || value.size() > kMostTexts) {
    return wrong(name, "a list of texts");
  }
  out.clear();
  for (const json& item : value) {
    OPSCOPE_TRY(read(item, name, out.emplace_back()));
  }
  return {};
}

base::Result<> read(const json& value, const std::string& name, OverheadCheck& out) {
  for (const auto& [check, word] : kChecks) {
    if (value == word) {
      out = check;
      return {};
    }
  }
  return wrong(name, "off, auto or full");
}

}  // namespace

std::string toJson(const RemoteSettings& settings) {
  json out = {{"warmup", settings.warmup},     {"repeats", settings.repeats},
              {"steps", settings.steps},       {"memory", settings.recordMemory},
              {"lanes", settings.recordLanes}, {"collectors", settings.collectors},
              {"kernels", settings.kernels},   {"tvmVersion", settings.tvmVersion}};
  for (const auto& [check, word] : kChecks) {
    if (check == settings.overhead) {
      out["overhead"] = word;
    }
  }
  return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

base::Result<RemoteSettings> remoteSettingsFromJson(std::string_view text) {
  const json parsed = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object()) {
    return wrong("the text", "a JSON object");
  }
  RemoteSettings settings;
  for (const auto& [name, value] : parsed.items()) {
    base::Result<> done;
    if (name == "warmup") {
      done = read(value, name, settings.warmup);
    } else if (name == "repeats") {
      done = read(value, name, settings.repeats);
    } else if (name == "steps") {
      done = read(value, name, settings.steps);
    } else if (name == "overhead") {
      done = read(value, name, settings.overhead);
    } else if (name == "memory") {
      done = read(value, name, settings.recordMemory);
    } else if (name == "lanes") {
      done = read(value, name, settings.recordLanes);
    } else if (name == "collectors") {
      done = read(value, name, settings.collectors);
    } else if (name == "kernels") {
      done = read(value, name, settings.kernels);
    } else if (name == "tvmVersion") {
      done = read(value, name, settings.tvmVersion);
    }  // others are of newer clients
    OPSCOPE_TRY(std::move(done));
  }
  if (settings.steps.empty()) {
    return wrong("steps", "at least one name");
  }
  return settings;
}

}  // namespace opscope::profile
