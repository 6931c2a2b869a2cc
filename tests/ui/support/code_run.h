// SPDX-License-Identifier: GPL-3.0-or-later
// A made-up run of a real executable: each kernel call of its function has a time, so that the Code page has
// something to show beside the listing.
#pragma once

#include "engine/report/run_report.h"
#include "engine/session/program_code.h"
#include "tests/ui/support/synthetic_run.h"

namespace opscope::ui::testing {

inline std::shared_ptr<const session::ProgramCode> realCode() {
  auto code = session::readProgramCode(OPSCOPE_TEST_DATA "/vm/tvm027/cnn.so", {});
  return code ? *code : nullptr;
}

inline std::shared_ptr<const session::ExecutableInfo> codeExecutable() {
  auto info = std::make_shared<session::ExecutableInfo>(*syntheticExecutable());
  const auto code = realCode();
  info->path = code->path;
  info->fileName = "cnn.so";
  info->hash = code->hash;
  return info;
}

inline report::Document codeDocument() {
  const auto code = realCode();
  auto run = std::make_shared<report::Run>();
  run->executablePath = code->path;
  run->executableHash = code->hash;
  run->function = code->functions.front().name;
  run->startedAt = "2026-11-24T14:02:11Z";
  run->repeats = run->repeatsWanted = 5;
  run->devices = {"cpu0"};
  run->steps = {"main"};
  run->totals.push_back({"cpu0", std::vector<double>(run->repeats, 0)});
  const session::CodeFunction& first = code->functions.front();
  for (std::size_t line = 0; line < first.lines.size(); ++line) {
    if (first.lines[line].callee != session::CodeLine::Callee::Kernel) continue;
    report::Call call;
    call.name = std::uint32_t(run->names.size());
    run->names.push_back(first.lines[line].name);
    call.shapes = call.device = 0;
    call.instruction = first.first + line;
    call.firstSample = run->ownNs.size();
    call.sampleCount = run->repeats;
    call.inReport = call.kernel = true;
    for (std::uint32_t repeat = 0; repeat < run->repeats; ++repeat) {
      const double ns = 900000.0 / double(1 + 3 * call.name) + 700.0 * repeat;
      run->ownNs.push_back(ns);
      run->inclusiveNs.push_back(ns);
      run->sampleRepeat.push_back(repeat);
      run->totals[0].totalNs[repeat] += ns;
    }
    run->calls.push_back(call);
  }
  run->shapes = {"float32[1, 3, 8, 8]"};
  return report::makeDocument(run);
}

}  // namespace opscope::ui::testing
