// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "app/cli/sweep_output.h"

namespace opscope::cli {

namespace {

using Json = nlohmann::ordered_json;

Json rowJson(const report::ScalingRow& row) {
  Json us = Json::array();
  for (const std::optional<double>& value : row.us) {
    us.push_back(value ? Json(*value) : Json(nullptr));
  }
  return {{"name", row.name},
          {"device", row.device},
          {"us", std::move(us)},
          {"exponent", row.fit ? Json(row.fit->exponent) : Json(nullptr)},
          {"r_squared", row.fit ? Json(row.fit->rSquared) : Json(nullptr)},
          {"note", row.note}};
}

Json pointJson(const session::SweepPoint& point) {
  Json error = nullptr;
  if (point.error) {
    error = {{"message", point.error->message}, {"detail", point.error->detail}, {"hint", point.error->hint}};
  }
  const report::Run* const run = point.document.run.get();
  return {{"value", point.value},
          {"repeats", run != nullptr ? run->repeats : 0},
          {"inputs", run != nullptr ? run->inputs : ""},
          {"error", std::move(error)}};
}

}  // namespace

std::string sweepJson(const SweepOptions& options, const session::SweepFinished& finished,
                      const report::Scaling& scaling) {
  Json object;
  object["schema"] = "opscope.sweep/1";
  object["file"] = options.file;
  object["over"] = options.over;
  object["values_wanted"] = options.values;
  object["repeats"] = options.repeats;
  object["points"] = Json::array();
  for (const session::SweepPoint& point : finished.points) {
    object["points"].push_back(pointJson(point));
  }
  object["total"] = rowJson(scaling.total);
  object["ops"] = Json::array();
  for (const report::ScalingRow& row : scaling.rows) {
    object["ops"].push_back(rowJson(row));
  }
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace opscope::cli
