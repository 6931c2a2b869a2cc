// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/widgets/broken_name.h"

#include <QFontMetrics>

#include "ui/models/format.h"

namespace opscope::ui {
namespace {

constexpr int kMostLines = 6;
constexpr int kSize = 15;
/// Of a name that takes more than one line.
constexpr int kSmallSize = 13;

}  // namespace

QStringList brokenToWidth(const QString& name, const QFont& font, int width, int most) {
  const QFontMetrics metrics(font);
  const QStringList parts = name.split(QLatin1Char('_'));
  QStringList lines;
  QString line;
  for (qsizetype i = 0; i < parts.size(); ++i) {
    const QString piece = i + 1 < parts.size() ? parts[i] + QLatin1Char('_') : parts[i];
    if (!line.isEmpty() && metrics.horizontalAdvance(line + piece) > width) {
      lines << metrics.elidedText(line, Qt::ElideMiddle, width);
      line.clear();
      if (lines.size() == most) {
        lines << QStringLiteral("and %1").arg(format::counted(parts.size() - i, "more part", "more parts"));
        return lines;
      }
    }
    line += piece;
  }
  lines << metrics.elidedText(line, Qt::ElideMiddle, width);
  return lines;
}

BrokenName::BrokenName(const Theme* theme, const QString& name, QWidget* parent)
    : Text(theme, kSize, &Colours::text, QFont::DemiBold, parent), m_theme(theme), m_name(name) {
  setToolTip(name);
  setAccessibleName(name);
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  setTextInteractionFlags(Qt::TextSelectableByMouse);
  connect(theme, &Theme::changed, this, &BrokenName::breakLines);
  setText(name);
}

void BrokenName::resizeEvent(QResizeEvent* event) {
  Text::resizeEvent(event);
  breakLines();
}

void BrokenName::breakLines() {
  QFont font = m_theme->font(kSize, QFont::DemiBold);
  if (QFontMetrics(font).horizontalAdvance(m_name) > width())
    font = m_theme->font(kSmallSize, QFont::DemiBold);
  const QString lines = brokenToWidth(m_name, font, width(), kMostLines).join(QLatin1Char('\n'));
  if (this->font() != font) setFont(font);
  if (text() != lines) setText(lines);
}

}  // namespace opscope::ui
