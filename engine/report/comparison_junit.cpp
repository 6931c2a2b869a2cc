// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>

#include "engine/report/comparison_formats.h"
#include "engine/report/comparison_words.h"
#include "engine/report/html_text.h"

namespace opscope::report {

namespace {

/// Text as XML takes it: HTML's escapes are XML's too.
std::string escaped(std::string_view text) {
  std::string out = htmlText(text);
  // Two points that UTF-8 can write and XML does not take.
  for (const std::string_view refused : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}) {
    for (std::size_t at = out.find(refused); at != std::string::npos; at = out.find(refused, at)) {
      out.replace(at, refused.size(), "\xEF\xBF\xBD");
    }
  }
  return out;
}

std::string message(const ComparedOp& op) {
  std::string text = verdictWords(op);
  if (op.a && op.b) {
    text += fmt::format(", {} to {}", sideWords(op.a), sideWords(op.b));
    if (op.ratio) text += fmt::format(", {}", changeWords(op.ratio));
    if (op.ratioLow) text += fmt::format(" (95 % interval {})", intervalWords(op));
  }
  if (!op.why.empty()) text += fmt::format("; {}", op.why);
  if (!op.note.empty()) text += fmt::format("; {}", op.note);
  return text;
}

bool isSkipped(const ComparedOp& op) {
  return op.verdict == Verdict::TooNoisy || op.verdict == Verdict::New || op.verdict == Verdict::Gone;
}

std::string caseName(const ComparedOp& op, std::map<std::string, int>& seen) {
  const ComparedSide& side = op.shown();
  std::string name = side.name;
  if (!side.shapes.empty()) name += fmt::format(" ({})", side.shapes);
  if (!side.device.empty()) name += fmt::format(" {}", side.device);
  const int times = ++seen[name];
  return times == 1 ? name : fmt::format("{} #{}", name, times);
}

void appendCase(std::string& out, const ComparedOp& op, const std::string& name,
                const ComparisonContext& context) {
  constexpr double kUsPerSecond = 1e6;
  const std::string words = escaped(message(op));
  out += fmt::format("    <testcase classname=\"opscope.compare\" name=\"{}\" time=\"{:.9f}\">\n",
                     escaped(name), op.shown().valueUs / kUsPerSecond);
  if (isFailure(op, context)) {
    out += fmt::format("      <failure type=\"slower\" message=\"{}\"/>\n", words);
  } else if (isSkipped(op)) {
    out += fmt::format("      <skipped message=\"{}\"/>\n", words);
  } else {
    out += fmt::format("      <system-out>{}</system-out>\n", words);
  }
  out += "    </testcase>\n";
}

}  // namespace

bool isFailure(const ComparedOp& op, const ComparisonContext& context) {
  return context.failAbovePercent ? failsAbove(op, *context.failAbovePercent) : op.verdict == Verdict::Slower;
}

std::string toJUnit(const Comparison& comparison, const ComparisonContext& context) {
  std::vector<const ComparedOp*> ops = {&comparison.total};
  for (const ComparedOp& op : comparison.ops) ops.push_back(&op);
  std::size_t failures = 0;
  std::size_t skipped = 0;
  std::string cases;
  std::map<std::string, int> seen;
  for (const ComparedOp* op : ops) {
    const bool fails = isFailure(*op, context);
    failures += fails ? 1 : 0;
    skipped += !fails && isSkipped(*op) ? 1 : 0;
    appendCase(cases, *op, caseName(*op, seen), context);
  }
  const std::string counts =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\"", ops.size(), failures, skipped);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {0}>\n  <testsuite name=\"{1}\" {0}>\n{2}  "
      "</testsuite>\n</testsuites>\n",
      counts, escaped(fmt::format("opscope compare {} {}", context.sourceA, context.sourceB)), cases);
}

}  // namespace opscope::report
