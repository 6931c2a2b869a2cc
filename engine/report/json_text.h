// SPDX-License-Identifier: Apache-2.0
// Pieces of JSON for our writers of large files. Any thread; pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/report/metric.h"

namespace opscope::report {

/// The text in quotes, escaped; bytes that are not UTF-8 become U+FFFD.
void appendJsonString(std::string& out, std::string_view text);

/// The text with bytes that are not UTF-8 as U+FFFD.
std::string wellFormed(std::string_view text);

/// The shortest digits that read back equal, always with a point or an exponent. 0.0 when not finite.
void appendJsonNumber(std::string& out, double value);

void appendJsonInteger(std::string& out, std::int64_t value);

/// `"name":`, after a comma unless the text ends with an opening bracket.
void appendJsonKey(std::string& out, std::string_view name);

/// A comma unless the text ends with an opening bracket.
void appendJsonComma(std::string& out);

/// A member of an object with its key.
void appendTextMember(std::string& out, std::string_view key, std::string_view text);
void appendIntegerMember(std::string& out, std::string_view key, std::int64_t value);
void appendFlagMember(std::string& out, std::string_view key, bool value);

void appendJsonNumbers(std::string& out, std::span<const double> values);
void appendJsonStrings(std::string& out, const std::vector<std::string>& texts);

/// {"NAME":{"microseconds":1.0},...} in the given order. Numbers that are not finite are left out.
void appendJsonMetrics(std::string& out, std::span<const MetricMap::Entry* const> entries);
void appendJsonMetrics(std::string& out, const MetricMap& metrics);

}  // namespace opscope::report
