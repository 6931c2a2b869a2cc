// SPDX-License-Identifier: Apache-2.0
#include "engine/report/comparison_words.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "engine/report/comparison_verdict.h"
#include "engine/report/measuring_limit.h"
#include "engine/report/quantity_words.h"
#include "engine/report/run_report.h"

namespace opscope::report {

namespace {

std::string configurationText(const Run& run, std::string_view name) {
  const Metric* metric = run.configuration.find(name);
  if (metric == nullptr) return "";
  if (const auto* count = std::get_if<Count>(metric)) return fmt::format("{}", count->value);
  const auto* text = std::get_if<std::string>(metric);
  return text != nullptr ? *text : "";
}

std::string factOf(const Run& run, std::string_view name) {
  for (const Fact& fact : run.environment) {
    if (fact.name == name) return fact.value;
  }
  return "";
}

std::string deviceOf(const Run& run) {
  const DeviceTotal* const largest = largestTotal(run);
  return largest != nullptr ? largest->device : "";
}

void addDifference(std::vector<std::string>& differences, std::string_view what, const std::string& a,
                   const std::string& b) {
  if (!a.empty() && !b.empty() && a != b)
    differences.push_back(fmt::format("{}: {} in A, {} in B.", what, a, b));
}

/// The total or an op, and which run.
std::string placeOf(const ComparedOp& op, const Comparison& comparison) {
  return &op == &comparison.total ? "The total" : op.shown().name;
}

void addSideWarnings(const ComparedOp& op, const ComparedSide& side, std::string_view run,
                     const Comparison& comparison, std::vector<Warning>& warnings) {
  if (side.driftPart) {
    warnings.push_back(
        {fmt::format("{} drifts in {}: it {} by {:.1f} % over the run.", placeOf(op, comparison), run,
                     *side.driftPart > 0 ? "grows" : "shrinks", std::fabs(*side.driftPart) * 100),
         "The machine was changing. Run A and B by turns, or warm up longer."});
  }
  if (side.twoModes) {
    warnings.push_back({fmt::format("{} has two modes in {}.", placeOf(op, comparison), run),
                        "Two speeds of one thing: its median may jump from one to the other between runs."});
  }
}

std::string signedPercent(double ratio) {
  const double percent = (ratio - 1) * 100;
  return fmt::format("{}{:.1f} %", percent < -0.05 ? "−" : (percent < 0.05 ? "±" : "+"), std::fabs(percent));
}

}  // namespace

void appendNote(std::string& note, std::string_view words) {
  if (!note.empty()) note += "; ";
  note += words;
}

std::string matchNote(const ComparedOp& op) {
  std::string note;
  if (op.a->name != op.b->name) appendNote(note, fmt::format("was {}", op.a->name));
  if (op.a->shapes != op.b->shapes)
    appendNote(note, fmt::format("shapes were {}", op.a->shapes.empty() ? "none" : op.a->shapes));
  if (op.a->device != op.b->device) appendNote(note, fmt::format("was on {}", op.a->device));
  return note;
}

std::vector<std::string> differencesOf(const Run& a, const Run& b) {
  std::vector<std::string> differences;
  if (a.executableHash != b.executableHash && !a.executableHash.empty() && !b.executableHash.empty()) {
    differences.push_back(
        a.executablePath == b.executablePath
            ? fmt::format("{} has changed between A and B.", a.executablePath)
            : fmt::format("Executable: {} in A, {} in B.", a.executablePath, b.executablePath));
  }
  addDifference(differences, "Function", a.function, b.function);
  addDifference(differences, "Inputs", a.inputs, b.inputs);
  addDifference(differences, "Target", a.target, b.target);
  addDifference(differences, "Device", deviceOf(a), deviceOf(b));
  for (const std::string_view name : {"Executor", "Number of threads"}) {
    addDifference(differences, name, configurationText(a, name), configurationText(b, name));
  }
  for (const std::string_view name : {"CPU", "Cores", "Governor", "Kernel", "Threads pinned", "Threads spin",
                                      "Allocator", "Timer clock", "Opscope", "Compiled by TVM"}) {
    addDifference(differences, name, factOf(a, name), factOf(b, name));
  }
  return differences;
}

std::vector<Warning> warningsOf(const Comparison& comparison) {
  std::vector<Warning> warnings;
  if (!comparison.hasSamples) {
    warnings.push_back(
        {"Without samples on both sides only values are compared: nothing tells noise from change.",
         "Compare samples files (profile --samples) or saved runs (profile --save)."});
    return warnings;
  }
  const std::size_t least = std::min(comparison.runA->repeats, comparison.runB->repeats);
  if (least < kLeastRepeats) {
    warnings.push_back({fmt::format("{} repeats say nothing, {} are needed at least.", least, kLeastRepeats),
                        "Measure with --repeat 30."});
  }
  addSideWarnings(comparison.total, *comparison.total.a, "A", comparison, warnings);
  addSideWarnings(comparison.total, *comparison.total.b, "B", comparison, warnings);
  for (const ComparedOp& op : comparison.ops) {
    if (op.verdict != Verdict::Faster && op.verdict != Verdict::Slower) continue;
    addSideWarnings(op, *op.a, "A", comparison, warnings);
    addSideWarnings(op, *op.b, "B", comparison, warnings);
  }
  return warnings;
}

std::string verdictWords(const ComparedOp& op) {
  std::string words(verdictName(op.verdict));
  if (op.moreRepeats) {
    words += *op.moreRepeats >= 1'000'000
                 ? std::string(": more repeats than can be made")
                 : fmt::format(": about {} more repeat{}", *op.moreRepeats, *op.moreRepeats == 1 ? "" : "s");
  }
  return words;
}

std::string changeWords(std::optional<double> ratio) {
  if (!ratio) return "";
  if (*ratio >= 10) return *ratio >= 1e6 ? "over ×1000000" : fmt::format("×{:.1f}", *ratio);
  return signedPercent(*ratio);
}

std::string intervalWords(const ComparedOp& op) {
  if (!op.ratioLow || !op.ratioHigh) return "";
  return fmt::format("{} to {}", changeWords(op.ratioLow), changeWords(op.ratioHigh));
}

std::string sideWords(const std::optional<ComparedSide>& side) {
  if (!side) return "";
  return side->tooShort ? std::string(kTooShort) : timeWords(side->valueUs);
}

std::string countWords(const Comparison& comparison) {
  std::string words;
  for (const Verdict verdict : kVerdicts) {
    const std::size_t count = comparison.count(verdict);
    if (count == 0) continue;
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", count, verdictName(verdict));
  }
  return words.empty() ? "no ops" : words;
}

}  // namespace opscope::report
