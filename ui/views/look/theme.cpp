// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/look/theme.h"

#include <QFile>
#include <QFontDatabase>
#include <QFontInfo>
#include <QGuiApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>

// The macro must stand outside of namespaces; a static library's resources are linked only when named.
static void initialiseLookResources() {
  Q_INIT_RESOURCE(opscope);
  Q_INIT_RESOURCE(guide);
}

namespace opscope::ui {
namespace {

struct NamedColour {
  const char* name;
  QColor Colours::*member;
};

constexpr NamedColour kNamedColours[] = {
    {"window", &Colours::window},
    {"base", &Colours::base},
    {"alternateBase", &Colours::alternateBase},
    {"button", &Colours::button},
    {"line", &Colours::line},
    {"controlBorder", &Colours::controlBorder},
    {"grid", &Colours::grid},
    {"text", &Colours::text},
    {"textSecondary", &Colours::textSecondary},
    {"textTertiary", &Colours::textTertiary},
    {"textDisabled", &Colours::textDisabled},
    {"accent", &Colours::accent},
    {"onAccent", &Colours::onAccent},
    {"selection", &Colours::selection},
    {"onSelection", &Colours::onSelection},
    {"hover", &Colours::hover},
    {"focus", &Colours::focus},
    {"tooltip", &Colours::tooltip},
    {"onTooltip", &Colours::onTooltip},
    {"tooltipBorder", &Colours::tooltipBorder},
    {"faster", &Colours::faster},
    {"slower", &Colours::slower},
    {"same", &Colours::same},
    {"noisy", &Colours::noisy},
    {"fasterFill", &Colours::fasterFill},
    {"slowerFill", &Colours::slowerFill},
    {"sameFill", &Colours::sameFill},
    {"noisyFill", &Colours::noisyFill},
    {"error", &Colours::error},
    {"warning", &Colours::warning},
    {"success", &Colours::success},
    {"errorBackground", &Colours::errorBackground},
    {"warningBackground", &Colours::warningBackground},
    {"shareBar", &Colours::shareBar},
    {"rangeFill", &Colours::rangeFill},
    {"rangeLine", &Colours::rangeLine},
    {"fillEdge", &Colours::fillEdge},
};

/// "#RRGGBB" or "rgba(r,g,b,alpha)".
QColor parseColour(const QString& text) {
  static const QRegularExpression rgba(QStringLiteral("rgba\\((\\d+),(\\d+),(\\d+),([0-9.]+)\\)"));
  const QRegularExpressionMatch match = rgba.match(text);
  if (!match.hasMatch()) return QColor(text);
  QColor colour(match.captured(1).toInt(), match.captured(2).toInt(), match.captured(3).toInt());
  colour.setAlphaF(match.captured(4).toFloat());
  return colour;
}

Colours parseTheme(const QJsonObject& object) {
  Colours colours;
  for (const NamedColour& entry : kNamedColours) {
    colours.*entry.member = parseColour(object.value(QLatin1String(entry.name)).toString());
  }
  return colours;
}

double relativeLuminance(const QColor& colour) {
  const auto linear = [](double c) { return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
  return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
}

double contrast(const QColor& a, const QColor& b) {
  const double la = relativeLuminance(a), lb = relativeLuminance(b);
  return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

}  // namespace

Theme::Theme(QObject* parent) : QObject(parent), m_platform(QGuiApplication::palette()) {
  initialiseLookResources();
  load();
  m_active = resolve();
}

void Theme::load() {
  QFile file(QStringLiteral(":/look/tokens.json"));
  if (!file.open(QIODevice::ReadOnly)) qFatal("the look's tokens are not compiled in");
  const QJsonObject root = QJsonDocument::fromJson(file.readAll()).object();
  const QJsonObject themes = root.value(QLatin1String("themes")).toObject();
  m_colours[0] = parseTheme(themes.value(QLatin1String("light")).toObject());
  m_colours[1] = parseTheme(themes.value(QLatin1String("dark")).toObject());
  m_colours[2] = parseTheme(themes.value(QLatin1String("highContrast")).toObject());
  const QJsonArray fills =
      root.value(QLatin1String("categorical")).toObject().value(QLatin1String("colours")).toArray();
  QStringList names;
  for (const QJsonValue& value : fills) {
    const QJsonObject fill = value.toObject();
    names << fill.value(QLatin1String("name")).toString();
    m_fills.push_back({QColor(fill.value(QLatin1String("hex")).toString()),
                       QColor(fill.value(QLatin1String("ink")).toString()),
                       QColor(fill.value(QLatin1String("lineOnLight")).toString()),
                       QColor(fill.value(QLatin1String("lineOnDark")).toString()),
                       fill.value(QLatin1String("kind")).toString()});
  }
  const QJsonArray order =
      root.value(QLatin1String("deviceColours")).toObject().value(QLatin1String("order")).toArray();
  for (const QJsonValue& value : order) m_deviceOrder.push_back(int(names.indexOf(value.toString())));
}

ThemeChoice Theme::resolve() const {
  if (m_choice != ThemeChoice::Platform) return m_choice;
  const QColor window = m_platform.color(QPalette::Window);
  const QColor text = m_platform.color(QPalette::WindowText);
  const bool dark = window.lightness() < text.lightness();
  // Pure black and white is what platforms hand out for high contrast; ours is a dark one.
  if (dark && contrast(window, text) >= 20.0) return ThemeChoice::HighContrast;
  return dark ? ThemeChoice::Dark : ThemeChoice::Light;
}

void Theme::choose(ThemeChoice choice) {
  m_choice = choice;
  m_active = resolve();
  Q_EMIT changed();
}

void Theme::followPlatform(const QPalette& platformPalette) {
  m_platform = platformPalette;
  if (m_choice == ThemeChoice::Platform) choose(m_choice);
}

QPalette Theme::palette() const {
  const Colours& c = colours();
  QPalette p;
  p.setColor(QPalette::Window, c.window);
  p.setColor(QPalette::WindowText, c.text);
  p.setColor(QPalette::Base, c.base);
  p.setColor(QPalette::AlternateBase, c.alternateBase);
  p.setColor(QPalette::Text, c.text);
  p.setColor(QPalette::PlaceholderText, c.textTertiary);
  p.setColor(QPalette::Button, c.button);
  p.setColor(QPalette::ButtonText, c.text);
  p.setColor(QPalette::Highlight, c.selection);
  p.setColor(QPalette::HighlightedText, c.onSelection);
  p.setColor(QPalette::ToolTipBase, c.tooltip);
  p.setColor(QPalette::ToolTipText, c.onTooltip);
  p.setColor(QPalette::Link, c.accent);
  p.setColor(QPalette::LinkVisited, c.accent);
  p.setColor(QPalette::BrightText, c.error);
  for (const auto role : {QPalette::Light, QPalette::Midlight, QPalette::Mid}) p.setColor(role, c.line);
  for (const auto role : {QPalette::Dark, QPalette::Shadow}) p.setColor(role, c.controlBorder);
  for (const auto role : {QPalette::Text, QPalette::ButtonText, QPalette::WindowText}) {
    p.setColor(QPalette::Disabled, role, c.textDisabled);
  }
  // The same with and without focus: two strengths would read as two meanings.
  p.setColor(QPalette::Disabled, QPalette::Highlight, c.line);
  return p;
}

double textScale() {
  constexpr double kDesignFont = 13;  // pixels
  return QFontInfo(QGuiApplication::font()).pixelSize() / kDesignFont;
}

int Theme::px(double designLength) const {
  return std::max(1, int(std::lround(designLength * textScale())));
}

QFont Theme::font(double designSize, QFont::Weight weight) const {
  QFont font = QGuiApplication::font();
  font.setPixelSize(px(designSize));
  font.setWeight(weight);
  return font;
}

QFont Theme::fixedFont(double designSize) const {
  QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  font.setPixelSize(px(designSize));
  return font;
}

const Fill& Theme::kindFill(report::OpKind kind) const {
  const std::string_view name = report::kindName(kind);
  const QString text = QString::fromUtf8(name.data(), qsizetype(name.size()));
  for (const Fill& fill : m_fills) {
    if (fill.kind == text || (text == QLatin1String("VM") && fill.kind.startsWith(text))) return fill;
  }
  return m_fills.back();
}

const Fill& Theme::nameFill(const QString& opName) const {
  qsizetype end = opName.size();
  while (end > 0 && opName.at(end - 1).isDigit()) --end;
  std::uint32_t hash = 2166136261u;
  for (const QChar c : QStringView(opName).left(end)) hash = (hash ^ c.unicode()) * 16777619u;
  return m_fills[hash % m_fills.size()];
}

const Fill& Theme::deviceFill(int position) const {
  const auto count = int(m_deviceOrder.size());
  return m_fills[std::size_t(m_deviceOrder[std::size_t(std::clamp(position, 0, count - 1))])];
}

}  // namespace opscope::ui
