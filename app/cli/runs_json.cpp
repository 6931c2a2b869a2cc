// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "app/cli/runs_output.h"
#include "engine/report/overhead.h"
#include "engine/report/report_json.h"

namespace opscope::cli {

namespace {

using Json = nlohmann::ordered_json;

Json objectOf(const store::StoredRun& run) {
  return {{"id", run.id},
          {"saved_at", run.savedAt},
          {"started_at", run.startedAt},
          {"executable", run.executable},
          {"path", run.path},
          {"hash", run.hash},
          {"function", run.function},
          {"target", run.target},
          {"device", run.device},
          {"inputs", run.inputs},
          {"warmup", run.warmup},
          {"repeats", run.repeats},
          {"repeats_wanted", run.repeatsWanted},
          {"complete", run.complete},
          {"failure", run.failure},
          {"median_us", run.medianUs ? Json(*run.medianUs) : Json(nullptr)},
          {"duration_us", run.durationUs},
          {"calls", run.calls},
          {"samples", run.samples},
          {"bytes", run.bytes},
          {"note", run.note},
          {"tags", run.tags}};
}

Json headOf(const store::StoreInfo& info) {
  return {{"schema", "opscope.runs/1"},
          {"store", info.path.string()},
          {"store_bytes", info.bytes},
          {"store_runs", info.runs}};
}

Json noiseOf(const report::Run& run) {
  if (!run.noise) {
    return nullptr;
  }
  Json noise = {{"grade", std::string(1, report::letterOf(run.noise->grade))}, {"checks", Json::array()}};
  for (const report::NoiseCheck& check : run.noise->checks) {
    noise["checks"].push_back({{"id", check.id},
                               {"title", check.title},
                               {"found", check.found},
                               {"grade", std::string(1, report::letterOf(check.grade))},
                               {"advice", check.advice}});
  }
  noise["unknown"] = run.noise->unknown;
  return noise;
}

/// Null figures: not measurable, or too few pairs.
Json overheadOf(const report::Run& run) {
  const auto figures = report::overheadFigures(run);
  if (!figures) {
    return nullptr;
  }
  const bool isMeasured = figures->outcome == report::OverheadOutcome::Measured;
  constexpr double kNsInUs = 1e3;
  const auto us = [isMeasured](double ns) { return isMeasured ? Json(ns / kNsInUs) : Json(nullptr); };
  return {{"pairs", figures->pairs},          {"words", report::overheadWords(run)},
          {"added_us", us(figures->addedNs)}, {"low_us", us(figures->lowNs)},
          {"high_us", us(figures->highNs)},   {"per_call_us", us(figures->perCallNs)}};
}

std::string textOf(const Json& object) {
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string runsJson(const store::StoreInfo& info, const std::vector<store::StoredRun>& runs) {
  Json object = headOf(info);
  object["runs"] = Json::array();
  for (const store::StoredRun& run : runs) {
    object["runs"].push_back(objectOf(run));
  }
  return textOf(object);
}

std::string runJson(const store::StoredRun& run, const report::Document& document) {
  Json object = {{"schema", "opscope.runs/1"}, {"run", objectOf(run)}};
  Json& environment = object["environment"] = Json::array();
  for (const report::Fact& fact : document.run->environment) {
    environment.push_back({{"name", fact.name}, {"value", fact.value}});
  }
  Json& warnings = object["warnings"] = Json::array();
  for (const report::Warning& warning : document.run->warnings) {
    warnings.push_back({{"message", warning.message}, {"hint", warning.hint}});
  }
  object["noise"] = noiseOf(*document.run);
  object["overhead"] = overheadOf(*document.run);
  object["report"] = Json::parse(report::toJson(*document.report));
  return textOf(object);
}

std::string deletedJson(const store::StoreInfo& info, const std::vector<store::RunId>& ids) {
  Json object = headOf(info);
  object["deleted"] = ids;
  return textOf(object);
}

}  // namespace opscope::cli
