// SPDX-License-Identifier: Apache-2.0
// What a comparison says in words. Any thread; pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/report/comparison.h"

namespace opscope::report {

/// Adds to a note, after a semicolon when there is one already.
void appendNote(std::string& note, std::string_view words);

/// What differs in an op that was matched nevertheless: "was fused_add3", "other shapes". Empty when nothing.
std::string matchNote(const ComparedOp& op);

/// Executable, function, inputs, devices, threads, machine: one sentence for each that differs. What one run
/// does not tell is left out. Files are told with their folders, or, for what is handed on, by their names.
enum class FileWords { Path, Name };
std::vector<std::string> differencesOf(const Run& a, const Run& b, FileWords files = FileWords::Path);

/// Drift, two modes, few repeats: what makes a reader careful, with what helps.
std::vector<Warning> warningsOf(const Comparison& comparison);

/// Of groups: runs that are not alike, a side that is one run, runs that vary much.
std::vector<Warning> groupWarningsOf(const Comparison& comparison, const RunPool& a, const RunPool& b);

/// Of an op that is too noisy why, and what would do: "5 repeats are too few for 46 tests: p 0.37 after
/// correction; about 2 more repeats". Empty for others, and where the note says it.
std::string noisyWords(const ComparedOp& op);

/// "too noisy: about 12 more repeats", "slower".
std::string verdictWords(const ComparedOp& op);

/// "+5.2 %", "−0.3 %", "×12.5" from a factor of 10 on; empty without a ratio.
std::string changeWords(std::optional<double> ratio);

/// "+4.1 % to +6.3 %"; empty without an interval.
std::string intervalWords(const ComparedOp& op);

/// The value of a side for tables: as timeWords, "too short" for what cannot be measured, empty for what is
/// not there.
std::string sideWords(const std::optional<ComparedSide>& side);

/// "1 slower, 2 faster, 12 same": verdicts that there are, over the ops.
std::string countWords(const Comparison& comparison);

}  // namespace opscope::report
