// SPDX-License-Identifier: Apache-2.0
#include "engine/report/comparison_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "engine/report/comparison_verdict.h"
#include "engine/report/file_names.h"
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
    warnings.push_back({fmt::format("{} drifts in {}: it {} by {:.1f} % of its median over the run.",
                                    placeOf(op, comparison), run, *side.driftPart > 0 ? "grows" : "shrinks",
                                    std::fabs(*side.driftPart) * 100),
                        "The machine was changing. Run A and B by turns, or warm up longer."});
  }
  if (side.twoModes) {
    warnings.push_back({fmt::format("{} has two modes in {}.", placeOf(op, comparison), run),
                        "Two speeds of one thing: its median may jump from one to the other between runs."});
  }
}

/// What the runs of a group do not share, in words: "executables, inputs".
std::string unlikenessOf(const RunPool& pool) {
  const Run& first = *pool.runs.front();
  const std::pair<const char*, std::function<std::string(const Run&)>> kinds[] = {
      {"executables", [](const Run& run) { return run.executableHash; }},
      {"functions", [](const Run& run) { return run.function; }},
      {"inputs", [](const Run& run) { return run.inputs; }},
      {"targets", [](const Run& run) { return run.target; }},
      {"devices", [](const Run& run) { return deviceOf(run); }},
      {"numbers of threads", [](const Run& run) { return configurationText(run, "Number of threads"); }}};
  std::string words;
  for (const auto& [name, textOf] : kinds) {
    const std::string wanted = textOf(first);
    const bool differs = std::any_of(pool.runs.begin(), pool.runs.end(),
                                     [&](const auto& run) { return textOf(*run) != wanted; });
    if (differs) words += (words.empty() ? "" : ", ") + std::string(name);
  }
  return words;
}

void addGroupWarnings(const RunPool& pool, const ComparedSide& total, std::string_view name,
                      std::string_view other, std::vector<Warning>& warnings) {
  constexpr double kMuch = 0.05;
  if (pool.size() == 1) {
    warnings.push_back(
        {fmt::format("One run in {}: nothing tells how much such runs vary.", name),
         fmt::format("The spread between the runs of {} is taken for both. Measure it again.", other)});
    return;
  }
  if (const std::string unlike = unlikenessOf(pool); !unlike.empty()) {
    warnings.push_back({fmt::format("The runs in {} are not alike: they have different {}.", name, unlike),
                        "Their spread holds these differences too."});
  }
  if (total.betweenRuns.value_or(0) > kMuch) {
    warnings.push_back(
        {fmt::format("The runs in {} differ from each other by {:.1f} %.", name, *total.betweenRuns * 100),
         "A run alone would have told something else. Quiet the machine, or take more runs."});
  }
}

/// "about 12 more repeats"; empty when nothing tells how many would do.
std::string moreWords(const ComparedOp& op) {
  const auto more = [](std::uint64_t count, const char* what) {
    return count >= 1'000'000 ? fmt::format("more {}s than can be made", what)
                              : fmt::format("about {} more {}{}", count, what, count == 1 ? "" : "s");
  };
  return op.moreRuns ? more(*op.moreRuns, "run") : op.moreRepeats ? more(*op.moreRepeats, "repeat") : "";
}

std::string signedPercent(double ratio, int decimals = 1) {
  const double percent = (ratio - 1) * 100, least = std::pow(10, -decimals) / 2;
  return fmt::format("{}{:.{}f} %", percent < -least ? "−" : (percent < least ? "±" : "+"),
                     std::fabs(percent), decimals);
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

std::vector<std::string> differencesOf(const Run& a, const Run& b, FileWords files) {
  std::vector<std::string> differences;
  const bool names = files == FileWords::Name;
  if (a.executableHash != b.executableHash && !a.executableHash.empty() && !b.executableHash.empty()) {
    const std::string fileA = names ? fileNameOf(a.executablePath) : a.executablePath;
    const std::string fileB = names ? fileNameOf(b.executablePath) : b.executablePath;
    differences.push_back(fileA != fileB ? fmt::format("Executable: {} in A, {} in B.", fileA, fileB)
                          : a.executablePath == b.executablePath
                              ? fmt::format("{} has changed between A and B.", fileA)
                              : fmt::format("Executable: {} is another in A than in B.", fileA));
  }
  addDifference(differences, "Function", names ? withoutFolders(a.function) : a.function,
                names ? withoutFolders(b.function) : b.function);
  const std::string inputsA = names ? withoutFolders(a.inputs) : a.inputs;
  const std::string inputsB = names ? withoutFolders(b.inputs) : b.inputs;
  addDifference(differences, "Inputs", inputsA, inputsB);
  if (inputsA == inputsB && a.inputs != b.inputs) {
    differences.push_back(fmt::format("Inputs: {}, from other folders in A than in B.", inputsA));
  }
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
    warnings.push_back(
        {least == 1 ? fmt::format("One repeat says nothing, {} are needed at least.", kLeastRepeats)
                    : fmt::format("{} repeats say nothing, {} are needed at least.", least, kLeastRepeats),
         "Measure 30 repeats on each side."});
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

std::vector<Warning> groupWarningsOf(const Comparison& comparison, const RunPool& a, const RunPool& b) {
  std::vector<Warning> warnings;
  if (!comparison.isOfGroups() || !comparison.hasSamples) return warnings;
  addGroupWarnings(a, *comparison.total.a, "A", "B", warnings);
  addGroupWarnings(b, *comparison.total.b, "B", "A", warnings);
  return warnings;
}

std::string noisyWords(const ComparedOp& op) {
  if (op.verdict != Verdict::TooNoisy) return "";
  std::string words = op.why;
  if (const std::string more = moreWords(op); !more.empty()) appendNote(words, more);
  return words;
}

std::string verdictWords(const ComparedOp& op) {
  const std::string more = moreWords(op);
  return fmt::format("{}{}{}", verdictName(op.verdict), more.empty() ? "" : ": ", more);
}

std::string changeWords(std::optional<double> ratio) {
  if (!ratio) return "";
  if (*ratio >= 10) return *ratio >= 1e6 ? "over ×1000000" : fmt::format("×{:.1f}", *ratio);
  return signedPercent(*ratio);
}

std::string intervalWords(const ComparedOp& op) {
  if (!op.ratioLow || !op.ratioHigh) return "";
  const std::string low = changeWords(op.ratioLow), high = changeWords(op.ratioHigh);
  // Both ends alike would look like no interval.
  if (low == high && *op.ratioLow < *op.ratioHigh && *op.ratioHigh < 10)
    return fmt::format("{} to {}", signedPercent(*op.ratioLow, 2), signedPercent(*op.ratioHigh, 2));
  return fmt::format("{} to {}", low, high);
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
