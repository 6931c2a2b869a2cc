// SPDX-License-Identifier: Apache-2.0
// What both samples files and heads of runs hold, out and in. For sources of this module only: it shows
// simdjson.
#pragma once

#include <memory>
#include <string>

#include "engine/report/json_reader.h"
#include "engine/report/run_head.h"

namespace opscope::report {

/// Files that are made to be handed on tell the names of the executable and of its inputs' files without
/// their folders.
enum class HeadPath { Whole, NameOnly };

/// Writes the members from "schema" to "stepNs", and "counters", "overhead", "noise", "remote" and "traffic"
/// where there are some.
/// A new member of Run that is no list of calls goes here, or into appendHeadExtras when it points to calls,
/// and into head_reader.cpp.
void appendHead(std::string& out, const Run& run, HeadPath path = HeadPath::Whole);

/// Writes "warnings", a list of objects with "message" and "hint".
void appendWarnings(std::string& out, const std::vector<Warning>& warnings);

/// Writes the members that are there only for some runs: "memory", "lanes", "report" with "reportCalls".
void appendHeadExtras(std::string& out, const Document& document);

/// Reads what appendHead wrote. Errors: Format with place, found and expected; Unsupported for a newer
/// schema.
base::Result<> readHead(const JsonFile& file, const simdjson::dom::object& root,
                        std::string_view fileForMessages, Run& run);

/// Reads "memory" and "lanes". Indices are held against `run`, whose calls are there already.
base::Result<> readHeadExtras(const JsonFile& file, const simdjson::dom::object& root, Run& run);

/// The run with the report that stands there, or else with the one made from the run.
base::Result<Document> readHeadReport(const JsonFile& file, const simdjson::dom::object& root,
                                      std::shared_ptr<Run> run);

}  // namespace opscope::report
