// SPDX-License-Identifier: GPL-3.0-or-later
// The one formatter of numbers and texts that people see. Any thread; pure functions. Nothing it returns ever
// says nan, inf, -0.0, a percent above 100, or zero for "too short to measure".
#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/base/error.h"

namespace opscope::ui::format {

inline constexpr QChar kThinSpace(0x202F);
inline constexpr QChar kMinus(0x2212);
inline constexpr QChar kEnDash(0x2013);

/// A missing value.
QString missing();
/// A name or text from outside in one line: what would break the line or turn the direction of writing stands
/// as in C, "\n" or "\u202e" (base::printable). Everything that people read of files goes through this.
QString shown(const QString& text);
/// The same of each line.
QString shownLines(const QString& text);
/// The same from UTF-8.
QString fromUtf8(std::string_view text);

/// "45 078.3" with thin spaces; one decimal. Not finite or below 0: missing; above 0 but below 0.05: "<0.1".
QString microseconds(double us);
QString microseconds(const std::optional<double>& us);
/// "42.06" with `decimals`, held in 0…100; above 0 but rounding to 0: "<0.01".
QString percent(double value, int decimals = 2);
QString percent(const std::optional<double>& value, int decimals = 2);
/// Standard deviation / mean in percent: "2.4", and "> 100" for more, as a headline and in tables.
QString noise(double percent);
QString noise(const std::optional<double>& percent);
/// "15 023".
QString integer(std::int64_t value);
/// "1.02".
QString fixed(double value, int decimals);
/// "864 KiB", "1.01 MiB".
QString bytes(double value);

/// A headline: "107.17" and "ms"; us below 1 ms, ms below 10 s, then s. Fewer decimals as the number grows.
struct Quantity {
  QString number;
  QString unit;
  QString text() const { return unit.isEmpty() ? number : number + QChar(0x00A0) + unit; }
};
Quantity duration(double us);
/// "60.6 – 91.8 ms", both in the unit of the larger.
QString durationRange(double lowUs, double highUs);
/// "about 1.0 s left".
QString remaining(double seconds);

/// For copying: C locale, no groups, shortest digits that read back equal; empty when not finite.
QString plain(double value);

/// A fused name broken at '_' for tooltips: at most `lines` lines, then "and 48 more parts".
QStringList brokenName(const QString& name, int lines = 6, int lineLength = 36);

/// "1 call", "15 calls".
QString counted(std::int64_t count, const char* one, const char* many);

/// "~/models/x" for a path in the home folder.
QString shortPath(const QString& path);

/// Message, detail and hint, those that there are, a line each.
QString errorLines(const base::Error& error);
/// Detail and hint alone, where the message stands elsewhere.
QString errorAdvice(const base::Error& error);

}  // namespace opscope::ui::format
