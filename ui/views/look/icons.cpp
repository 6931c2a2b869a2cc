// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/look/icons.h"

#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPixmap>
#include <QSvgRenderer>

namespace opscope::ui {
namespace {

class TintedIconEngine : public QIconEngine {
 public:
  TintedIconEngine(const Theme* theme, QByteArray svg, IconInk ink)
      : m_theme(theme), m_svg(std::move(svg)), m_ink(ink) {}

  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
    QByteArray tinted = m_svg;
    tinted.replace("currentColor", colour(mode).name().toLatin1());
    QSvgRenderer renderer(tinted);
    renderer.render(painter, QRectF(rect));
  }

  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
    QPixmap pixmap(size);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    paint(&painter, QRect(QPoint(), size), mode, state);
    return pixmap;
  }

  QIconEngine* clone() const override { return new TintedIconEngine(*this); }

 private:
  QColor colour(QIcon::Mode mode) const {
    const Colours& c = m_theme->colours();
    if (mode == QIcon::Disabled) return c.textDisabled;
    if (mode == QIcon::Selected && m_ink != IconInk::OnAccent) return c.onSelection;
    switch (m_ink) {
      case IconInk::Text:
        return c.text;
      case IconInk::Secondary:
        return c.textSecondary;
      case IconInk::OnAccent:
        return c.onAccent;
      case IconInk::Accent:
        return c.accent;
      case IconInk::Warning:
        return c.warning;
      case IconInk::Error:
        return c.error;
      case IconInk::Success:
        return c.success;
    }
    return c.text;
  }

  const Theme* m_theme;
  QByteArray m_svg;
  IconInk m_ink;
};

}  // namespace

QIcon lookIcon(const Theme* theme, const char* name, IconInk ink) {
  QFile file(QStringLiteral(":/icons/%1.svg").arg(QLatin1String(name)));
  if (!file.open(QIODevice::ReadOnly)) return {};
  return QIcon(new TintedIconEngine(theme, file.readAll(), ink));
}

}  // namespace opscope::ui
