// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/format.h"

#include <QDir>
#include <QLocale>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>

#include "engine/base/printable.h"
#include "engine/report/quantity_words.h"
#include "ui/models/window_words.h"

namespace opscope::ui::format {
namespace {

/// Digits of `value` >= 0 with thin spaces between thousands.
QString grouped(double value, int decimals) {
  QString text = QString::number(value, 'f', decimals);
  qsizetype end = text.indexOf(QLatin1Char('.'));
  if (end < 0) end = text.size();
  for (qsizetype i = end - 3; i > 0; i -= 3) text.insert(i, kThinSpace);
  return text;
}

QString smallest(int decimals) {
  return QLatin1Char('<') + QString::number(std::pow(10.0, -decimals), 'f', decimals);
}

/// `value` >= 0; what would round to zero says that it is less than the last digit.
QString positive(double value, int decimals) {
  if (value > 0 && value < 0.5 * std::pow(10.0, -decimals)) return smallest(decimals);
  return grouped(value, decimals);
}

/// Those that say something, a line each.
QString linesOf(std::initializer_list<std::string_view> texts) {
  QStringList lines;
  for (const std::string_view text : texts) {
    if (text.empty()) continue;
    lines << shownLines(QString::fromUtf8(text.data(), qsizetype(text.size())));
  }
  return lines.join(QLatin1Char('\n'));
}

}  // namespace

QString missing() {
  return QString(kEnDash);
}

QString shown(const QString& text) {
  // Nearly all texts are plain: they are not copied.
  const bool plain = std::ranges::none_of(text, [](QChar c) {
    return c < QChar(0x20) || (c >= QChar(0x7F) && c <= QChar(0x9F)) || c.category() == QChar::Other_Format ||
           c == QChar::LineSeparator || c == QChar::ParagraphSeparator;
  });
  return plain ? text : QString::fromStdString(base::printable(text.toStdString()));
}

QString shownLines(const QString& text) {
  QStringList lines = text.split(QLatin1Char('\n'));
  for (QString& line : lines) line = shown(line);
  return lines.join(QLatin1Char('\n'));
}

QString fromUtf8(std::string_view text) {
  return shown(QString::fromUtf8(text.data(), qsizetype(text.size())));
}

QString microseconds(double us) {
  if (!std::isfinite(us) || us <= 0) return missing();
  return positive(us, 1);
}

QString microseconds(const std::optional<double>& us) {
  if (!us || !std::isfinite(*us) || *us < 0) return missing();
  return positive(*us, 1);
}

QString percent(double value, int decimals) {
  if (!std::isfinite(value)) return missing();
  return positive(std::clamp(value, 0.0, 100.0), decimals);
}

QString percent(const std::optional<double>& value, int decimals) {
  return value ? percent(*value, decimals) : missing();
}

QString noise(double value) {
  return value > 100 ? QStringLiteral(">\u00A0100") : percent(value, 1);
}

QString noise(const std::optional<double>& value) {
  return value ? noise(*value) : missing();
}

QString integer(std::int64_t value) {
  const QString digits = grouped(std::abs(double(value)), 0);
  return value < 0 ? kMinus + digits : digits;
}

QString fixed(double value, int decimals) {
  if (!std::isfinite(value)) return missing();
  const QString digits = grouped(std::abs(value), decimals);
  const bool zero = std::abs(value) < 0.5 * std::pow(10.0, -decimals);
  return value < 0 && !zero ? kMinus + digits : digits;
}

QString bytes(double value) {
  if (!std::isfinite(value) || value < 0) return missing();
  static const std::array<const char*, 5> units = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  const bool whole = unit == 0 || value >= 100 || std::abs(value - std::round(value)) < 0.005;
  const int decimals = whole ? 0 : (value < 10 ? 2 : 1);
  return grouped(value, decimals) + QChar(0x00A0) + QLatin1String(units[unit]);
}

Quantity duration(double us) {
  if (!std::isfinite(us) || us <= 0) return {missing(), QString()};
  const report::HeadlineTime time = report::headlineTime(us);
  return {positive(time.value, time.decimals), fromUtf8(time.unit)};
}

QString durationRange(double lowUs, double highUs) {
  if (!std::isfinite(lowUs) || !std::isfinite(highUs) || highUs <= 0) return missing();
  const report::HeadlineTime high = report::headlineTime(highUs);
  const double low = std::max(lowUs, 0.0) * high.value / highUs;
  return QStringLiteral("%1 %2 %3 %4")
      .arg(positive(low, high.decimals), QString(kEnDash), positive(high.value, high.decimals),
           fromUtf8(high.unit));
}

QString remaining(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return {};
  if (seconds < 60) return QStringLiteral("about %1 s left").arg(std::max(seconds, 0.1), 0, 'f', 1);
  if (seconds < 3600) return QStringLiteral("about %1 min left").arg(int(std::lround(seconds / 60)));
  return QStringLiteral("about %1 h left").arg(seconds / 3600, 0, 'f', 1);
}

QString plain(double value) {
  if (!std::isfinite(value)) return {};
  std::array<char, 64> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return QString::fromLatin1(buffer.data(), result.ptr - buffer.data());
}

QStringList brokenName(const QString& name, int lines, int lineLength) {
  const QStringList parts = name.split(QLatin1Char('_'));
  QStringList result;
  QString line;
  for (qsizetype i = 0; i < parts.size(); ++i) {
    const QString piece = i + 1 < parts.size() ? parts[i] + QLatin1Char('_') : parts[i];
    if (!line.isEmpty() && line.size() + piece.size() > lineLength) {
      result << line;
      line.clear();
      if (result.size() == lines) {
        const qsizetype left = parts.size() - i;
        result << QStringLiteral("and %1").arg(counted(left, "more part", "more parts"));
        return result;
      }
    }
    line += piece;
  }
  result << line;
  return result;
}

QString counted(std::int64_t count, const char* one, const char* many) {
  return integer(count) + QChar(0x00A0) + QString::fromUtf8(count == 1 ? one : many);
}

QString shortPath(const QString& path) {
  const QString home = QDir::homePath();
  if (home.size() > 1 && path.startsWith(home + QLatin1Char('/')))
    return QLatin1Char('~') + shown(path.mid(home.size()));
  return shown(path);
}

QString errorLines(const base::Error& error) {
  return linesOf(
      {error.message, windowWords(error.detail).toStdString(), windowWords(error.hint).toStdString()});
}

QString errorAdvice(const base::Error& error) {
  return linesOf({windowWords(error.detail).toStdString(), windowWords(error.hint).toStdString()});
}

}  // namespace opscope::ui::format
