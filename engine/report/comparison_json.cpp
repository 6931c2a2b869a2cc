// SPDX-License-Identifier: Apache-2.0
#include "engine/report/comparison_formats.h"
#include "engine/report/comparison_verdict.h"
#include "engine/report/head_json.h"
#include "engine/report/json_text.h"

namespace opscope::report {

namespace {

void appendNumberMember(std::string& out, std::string_view key, std::optional<double> value) {
  appendJsonKey(out, key);
  if (value) {
    appendJsonNumber(out, *value);
  } else {
    out += "null";
  }
}

void appendSide(std::string& out, std::string_view key, const std::optional<ComparedSide>& side) {
  appendJsonKey(out, key);
  if (!side) {
    out += "null";
    return;
  }
  out += '{';
  appendTextMember(out, "name", side->name);
  appendTextMember(out, "shapes", side->shapes);
  appendTextMember(out, "device", side->device);
  appendIntegerMember(out, "calls", side->calls);
  appendNumberMember(out, "us", side->valueUs);
  appendIntegerMember(out, "samples", static_cast<std::int64_t>(side->samples));
  appendNumberMember(out, "noise", side->noise);
  appendIntegerMember(out, "outliers", static_cast<std::int64_t>(side->outliers));
  appendNumberMember(out, "drift", side->driftPart);
  appendFlagMember(out, "two_modes", side->twoModes);
  appendFlagMember(out, "too_short", side->tooShort);
  out += '}';
}

void appendOp(std::string& out, const ComparedOp& op, const ComparisonContext& context) {
  const ComparedSide& shown = op.shown();
  out += '{';
  appendTextMember(out, "name", shown.name);
  appendTextMember(out, "shapes", shown.shapes);
  appendTextMember(out, "device", shown.device);
  appendTextMember(out, "verdict", verdictName(op.verdict));
  if (op.reason == VerdictReason::None) {
    appendJsonKey(out, "reason");
    out += "null";
  } else {
    appendTextMember(out, "reason", reasonName(op.reason));
  }
  appendTextMember(out, "why", op.why);
  appendNumberMember(out, "ratio", op.ratio);
  appendNumberMember(out, "ratio_low", op.ratioLow);
  appendNumberMember(out, "ratio_high", op.ratioHigh);
  appendNumberMember(out, "p", op.p);
  appendNumberMember(out, "p_holm", op.adjustedP);
  appendJsonKey(out, "more_repeats");
  if (op.moreRepeats) {
    appendJsonInteger(out, static_cast<std::int64_t>(*op.moreRepeats));
  } else {
    out += "null";
  }
  appendFlagMember(out, "fails", context.failAbovePercent && failsAbove(op, *context.failAbovePercent));
  appendTextMember(out, "note", op.note);
  appendSide(out, "a", op.a);
  appendSide(out, "b", op.b);
  out += '}';
}

void appendRun(std::string& out, std::string_view key, const std::string& source, const Run& run) {
  appendJsonKey(out, key);
  out += '{';
  appendTextMember(out, "source", source);
  appendTextMember(out, "executable", run.executablePath);
  appendTextMember(out, "hash", run.executableHash);
  appendTextMember(out, "function", run.function);
  appendTextMember(out, "inputs", run.inputs);
  appendTextMember(out, "target", run.target);
  appendTextMember(out, "started_at", run.startedAt);
  appendIntegerMember(out, "repeats", run.repeats);
  out += '}';
}

void appendWords(std::string& out, const Comparison& comparison) {
  appendJsonKey(out, "differences");
  appendJsonStrings(out, comparison.differences);
  appendWarnings(out, comparison.warnings);
}

}  // namespace

std::string toComparisonJson(const Comparison& comparison, const ComparisonContext& context) {
  constexpr double kPercentOfOne = 100;
  std::string out = "{";
  appendTextMember(out, "schema", "opscope.compare/1");
  appendTextMember(out, "by", matchingName(comparison.options.matching));
  appendNumberMember(out, "min_effect_percent", comparison.options.minimumEffect * kPercentOfOne);
  appendNumberMember(out, "level", kLevel);
  appendNumberMember(out, "fail_above_percent", context.failAbovePercent);
  appendFlagMember(out, "has_samples", comparison.hasSamples);
  appendRun(out, "a", context.sourceA, *comparison.runA);
  appendRun(out, "b", context.sourceB, *comparison.runB);
  appendWords(out, comparison);
  appendJsonKey(out, "counts");
  out += '{';
  for (const Verdict verdict : kVerdicts) {
    appendIntegerMember(out, verdictName(verdict), static_cast<std::int64_t>(comparison.count(verdict)));
  }
  out += '}';
  appendJsonKey(out, "total");
  appendOp(out, comparison.total, context);
  appendJsonKey(out, "ops");
  out += '[';
  for (const ComparedOp& op : comparison.ops) {
    appendJsonComma(out);
    appendOp(out, op, context);
  }
  out += "]}\n";
  return out;
}

}  // namespace opscope::report
