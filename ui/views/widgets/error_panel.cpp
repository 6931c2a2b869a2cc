// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/widgets/error_panel.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QPainter>

namespace opscope::ui {
namespace {

/// The frame with its red head.
class ErrorFrame : public QFrame {
 public:
  explicit ErrorFrame(const Theme* theme) : m_theme(theme) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(1, 1, 1, 1);
    layout->setSpacing(0);
    m_head = new QWidget;
    layout->addWidget(m_head);
    m_body = new QVBoxLayout;
    m_body->setContentsMargins(theme->px(20), theme->px(14), theme->px(20), theme->px(16));
    layout->addLayout(m_body);
  }
  QWidget* head() { return m_head; }
  QVBoxLayout* body() { return m_body; }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Colours& c = m_theme->colours();
    painter.setPen(QPen(c.error, 1));
    painter.setBrush(c.base);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), m_theme->px(4), m_theme->px(4));
    painter.fillRect(m_head->geometry(), c.errorBackground);
  }

 private:
  const Theme* m_theme;
  QWidget* m_head;
  QVBoxLayout* m_body;
};

/// With places to break where a name without blanks is wider than a panel may be: a label breaks nowhere
/// else.
QString breakable(const QString& words) {
  constexpr int kLongWord = 40;
  QString text;
  int length = 0;
  for (const QChar c : words) {
    text += c;
    length = c.isSpace() ? 0 : length + 1;
    if (length < kLongWord || (c != QLatin1Char('_') && length < 2 * kLongWord)) continue;
    text += QChar(0x200B);
    length = 0;
  }
  return text;
}

Text* wrapped(const Theme* theme, const QString& words, double size, QColor Colours::*colour,
              QFont::Weight weight = QFont::Normal) {
  auto* text = new Text(theme, size, colour, weight);
  text->setText(breakable(words));
  text->setWordWrap(true);
  text->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return text;
}

Text* heading(const Theme* theme, const char* words) {
  auto* text = new Text(theme, 12, &Colours::textSecondary, QFont::DemiBold);
  text->setText(QString::fromUtf8(words));
  text->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  return text;
}

}  // namespace

ErrorPanel::ErrorPanel(const Theme* theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  m_layout = new QVBoxLayout(this);
  m_layout->setContentsMargins(theme->px(32), theme->px(28), theme->px(32), theme->px(28));
  m_layout->setSpacing(theme->px(16));
}

void ErrorPanel::setError(const ErrorText& text) {
  m_text = text;
  clearLayout(m_layout);
  m_keptButtons = nullptr;
  auto* frame = new ErrorFrame(m_theme);
  frame->setAccessibleName(text.title);
  auto* head = new QHBoxLayout(frame->head());
  head->setContentsMargins(m_theme->px(20), m_theme->px(12), m_theme->px(20), m_theme->px(12));
  head->setSpacing(m_theme->px(12));
  head->addWidget(new IconLabel(lookIcon(m_theme, "error", IconInk::Error), m_theme->px(20)), 0,
                  Qt::AlignTop);
  auto* titles = new QVBoxLayout;
  titles->addWidget(wrapped(m_theme, text.title, 15, &Colours::text, QFont::DemiBold));
  if (!text.summary.isEmpty()) titles->addWidget(wrapped(m_theme, text.summary, 13, &Colours::text));
  head->addLayout(titles, 1);
  auto* columns = new QHBoxLayout;
  columns->setSpacing(m_theme->px(32));
  auto* left = new QVBoxLayout;
  left->setSpacing(m_theme->px(6));
  const auto section = [&](const char* title, const QString& words) {
    if (words.isEmpty()) return;
    left->addWidget(heading(m_theme, title));
    left->addWidget(wrapped(m_theme, words, 13, &Colours::text));
    left->addSpacing(m_theme->px(4));
  };
  section("Why", text.why);
  section("What you can do", text.whatToDo);
  m_buttons = new QHBoxLayout;
  m_buttons->setSpacing(m_theme->px(8));
  auto* copy = new ActionButton(m_theme, "copy", QStringLiteral("Copy report"));
  connect(copy, &QPushButton::clicked, this,
          [this]() { QGuiApplication::clipboard()->setText(reportText()); });
  m_buttons->addWidget(copy);
  m_buttons->addStretch(1);
  left->addLayout(m_buttons);
  left->addStretch(1);
  columns->addLayout(left, 1);
  if (!text.where.empty()) {
    auto* right = new QVBoxLayout;
    right->setSpacing(m_theme->px(6));
    right->addWidget(heading(m_theme, "Where"));
    auto* facts = new FactList(m_theme);
    facts->setRows(text.where);
    right->addWidget(facts);
    right->addStretch(1);
    columns->addLayout(right, 1);
  }
  frame->body()->addLayout(columns);
  m_layout->addWidget(frame);
  addLog(text.log);
  m_layout->addStretch(1);
}

void ErrorPanel::addLog(const std::vector<ErrorText::Line>& lines) {
  if (lines.empty()) return;
  m_layout->addWidget(heading(m_theme, "What happened"));
  auto* panel = new Panel(m_theme, {});
  auto* grid = new QGridLayout;
  grid->setContentsMargins(m_theme->px(14), m_theme->px(10), m_theme->px(14), m_theme->px(10));
  grid->setHorizontalSpacing(m_theme->px(24));
  grid->setColumnStretch(2, 1);
  int row = 0;
  for (const ErrorText::Line& line : lines) {
    const auto colour = line.isError ? &Colours::error : &Colours::text;
    int column = 0;
    for (const QString& words : {line.time, line.stage, line.words}) {
      auto* text = wrapped(m_theme, words, 12, column == 0 ? &Colours::textSecondary : colour);
      text->setFixedFont(true);
      grid->addWidget(text, row, column++, Qt::AlignTop);
    }
    ++row;
  }
  panel->body()->addLayout(grid);
  m_layout->addWidget(panel);
}

ActionButton* ErrorPanel::addButton(const QString& text, bool primary) {
  auto* button = new ActionButton(m_theme, nullptr, text);
  button->setPrimary(primary);
  m_buttons->insertWidget(std::max(0, m_buttons->count() - 2), button);
  return button;
}

void ErrorPanel::setKept(const QString& title, const QString& text) {
  auto* panel = new Panel(m_theme, {});
  auto* row = new QHBoxLayout;
  row->setContentsMargins(m_theme->px(20), m_theme->px(12), m_theme->px(16), m_theme->px(12));
  row->setSpacing(m_theme->px(12));
  row->addWidget(new IconLabel(lookIcon(m_theme, "info", IconInk::Secondary), m_theme->px(16)));
  auto* words = new QVBoxLayout;
  words->setSpacing(m_theme->px(2));
  words->addWidget(wrapped(m_theme, title, 13, &Colours::text, QFont::DemiBold));
  words->addWidget(wrapped(m_theme, text, 12, &Colours::textSecondary));
  row->addLayout(words, 1);
  m_keptButtons = new QHBoxLayout;
  m_keptButtons->setSpacing(m_theme->px(8));
  row->addLayout(m_keptButtons);
  panel->body()->addLayout(row);
  m_layout->insertWidget(1, panel);
}

ActionButton* ErrorPanel::addKeptButton(const QString& text) {
  auto* button = new ActionButton(m_theme, nullptr, text);
  m_keptButtons->addWidget(button);
  return button;
}

QString ErrorPanel::reportText() const {
  QStringList lines = {m_text.title, m_text.summary, m_text.why, m_text.whatToDo};
  for (const FactList::Row& row : m_text.where) lines << QStringLiteral("%1: %2").arg(row.name, row.value);
  for (const ErrorText::Line& line : m_text.log) {
    lines << QStringLiteral("%1  %2  %3").arg(line.time, line.stage, line.words).trimmed();
  }
  lines.removeAll(QString());
  return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

}  // namespace opscope::ui
