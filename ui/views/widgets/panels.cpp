// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/widgets/panels.h"

#include <QPainter>

namespace opscope::ui {

void clearLayout(QLayout* layout) {
  while (QLayoutItem* item = layout->takeAt(0)) {
    if (item->widget() != nullptr) {
      item->widget()->hide();
      item->widget()->deleteLater();
    }
    if (item->layout() != nullptr) clearLayout(item->layout());
    delete item;
  }
}

Panel::Panel(const Theme* theme, const QString& title, QWidget* parent) : QFrame(parent), m_theme(theme) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(1, 1, 1, 1);
  layout->setSpacing(0);
  m_titleRow = new QWidget(this);
  m_titleRow->setMinimumHeight(theme->px(36));
  m_titleLayout = new QHBoxLayout(m_titleRow);
  m_titleLayout->setContentsMargins(theme->px(14), 0, theme->px(12), 0);
  m_title = new Text(theme, 13, &Colours::text, QFont::DemiBold);
  m_title->setText(title);
  m_titleLayout->addWidget(m_title);
  m_titleLayout->addStretch(1);
  layout->addWidget(m_titleRow);
  m_titleRow->setVisible(!title.isEmpty());
  m_body = new QVBoxLayout;
  m_body->setContentsMargins(0, 0, 0, 0);
  m_body->setSpacing(0);
  layout->addLayout(m_body, 1);
  connect(theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void Panel::setTitle(const QString& title) {
  m_title->setText(title);
}

void Panel::addTitleWidget(QWidget* widget) {
  m_titleLayout->addWidget(widget);
}

void Panel::setTitleLine(bool lined) {
  m_lined = lined;
}

void Panel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(m_theme->colours().line, 1));
  painter.setBrush(m_theme->colours().base);
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), m_theme->px(4), m_theme->px(4));
  if (m_lined) {
    painter.fillRect(QRect(1, m_titleRow->geometry().bottom(), width() - 2, 1), m_theme->colours().line);
  }
}

Hairline::Hairline(const Theme* theme, Qt::Orientation orientation, QWidget* parent)
    : QWidget(parent), m_theme(theme) {
  if (orientation == Qt::Horizontal) {
    setFixedHeight(1);
  } else {
    setFixedWidth(1);
  }
}

void Hairline::paintEvent(QPaintEvent*) {
  QPainter(this).fillRect(rect(), m_theme->colours().line);
}

FactList::FactList(const Theme* theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  m_grid = new QGridLayout(this);
  m_grid->setContentsMargins(0, 0, 0, 0);
  m_grid->setHorizontalSpacing(theme->px(16));
  m_grid->setVerticalSpacing(theme->px(4));
  m_grid->setColumnStretch(1, 1);
}

void FactList::setRows(const std::vector<Row>& rows) {
  clearLayout(m_grid);
  int line = 0;
  for (const Row& row : rows) {
    auto* name = new Text(m_theme, 12, &Colours::textSecondary);
    name->setText(row.name);
    name->setMinimumHeight(m_theme->px(18));
    auto* value = new ElidedText(m_theme, 12, &Colours::text);
    value->setFixedFont(row.fixedFont);
    value->setAlignment(Qt::AlignRight);
    value->setText(row.value);
    value->setAccessibleName(row.name + QLatin1String(": ") + row.value);
    m_grid->addWidget(name, line, 0);
    m_grid->addWidget(value, line, 1);
    ++line;
  }
}

EmptyState::EmptyState(const Theme* theme, const char* iconName, QWidget* parent)
    : QWidget(parent), m_theme(theme) {
  auto* layout = new QVBoxLayout(this);
  layout->setSpacing(theme->px(8));
  layout->addStretch(1);
  layout->addWidget(new IconLabel(lookIcon(theme, iconName, IconInk::Secondary), theme->px(32)), 0,
                    Qt::AlignHCenter);
  m_title = new Text(theme, 15, &Colours::text, QFont::DemiBold);
  m_title->setAlignment(Qt::AlignHCenter);
  layout->addWidget(m_title);
  m_text = new Text(theme, 13, &Colours::textSecondary);
  m_text->setAlignment(Qt::AlignHCenter);
  m_text->setWordWrap(true);
  layout->addWidget(m_text);
  m_buttons = new QHBoxLayout;
  m_buttons->setSpacing(theme->px(8));
  m_buttons->setAlignment(Qt::AlignHCenter);
  layout->addSpacing(theme->px(4));
  layout->addLayout(m_buttons);
  layout->addStretch(1);
  connect(theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void EmptyState::setTexts(const QString& title, const QString& text) {
  m_title->setText(title);
  m_title->setVisible(!title.isEmpty());
  m_text->setText(text);
  m_text->setVisible(!text.isEmpty());
}

ActionButton* EmptyState::addButton(const char* iconName, const QString& text, const QString& shortcut) {
  auto* button = new ActionButton(m_theme, iconName, text, shortcut, this);
  m_buttons->addWidget(button);
  return button;
}

void EmptyState::paintEvent(QPaintEvent*) {
  QPainter(this).fillRect(rect(), m_theme->colours().base);
}

InfoBar::InfoBar(const Theme* theme, QWidget* parent) : QFrame(parent), m_theme(theme) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(theme->px(14), theme->px(8), theme->px(12), theme->px(8));
  layout->setSpacing(theme->px(10));
  m_icon = new IconLabel(QIcon(), theme->px(16));
  layout->addWidget(m_icon);
  m_label = new QLabel;
  m_label->setWordWrap(true);
  m_label->setTextFormat(Qt::RichText);
  layout->addWidget(m_label, 1);
  m_buttons = new QHBoxLayout;
  m_buttons->setSpacing(theme->px(8));
  layout->addLayout(m_buttons);
  hide();
}

void InfoBar::showMessage(Kind kind, const QString& bold, const QString& text) {
  m_kind = kind;
  const char* name = kind == Kind::Error ? "error" : kind == Kind::Warning ? "warning" : "info";
  const IconInk ink = kind == Kind::Error     ? IconInk::Error
                      : kind == Kind::Warning ? IconInk::Warning
                                              : IconInk::Secondary;
  m_icon->setIcon(lookIcon(m_theme, name, ink));
  QString html;
  if (!bold.isEmpty()) html = QStringLiteral("<b>%1</b> ").arg(bold.toHtmlEscaped());
  m_label->setText(html + text.toHtmlEscaped().replace(QLatin1Char('\n'), QLatin1String("<br>")));
  setAccessibleName(bold + QLatin1Char(' ') + text);
  show();
  update();
}

QPushButton* InfoBar::addButton(const QString& text) {
  auto* button = new ActionButton(m_theme, nullptr, text, {}, this);
  m_buttons->addWidget(button);
  return button;
}

void InfoBar::clearButtons() {
  clearLayout(m_buttons);
}

void InfoBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Colours& c = m_theme->colours();
  const QColor background = m_kind == Kind::Error     ? c.errorBackground
                            : m_kind == Kind::Warning ? c.warningBackground
                                                      : c.window;
  painter.fillRect(rect(), background);
  painter.fillRect(QRect(0, height() - 1, width(), 1), c.line);
}

}  // namespace opscope::ui
