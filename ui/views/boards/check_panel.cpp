// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/boards/check_panel.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <algorithm>

#include "ui/models/format.h"
#include "ui/views/look/icons.h"

namespace opscope::ui {
namespace {

constexpr double kRowHeight = 23;
constexpr double kTitleWidth = 196;
constexpr double kTimeWidth = 84;

struct Mark {
  const char* icon;
  IconInk ink;
};

Mark markOf(CheckModel::State state) {
  switch (state) {
    case CheckModel::State::Passed:
      return {"ok", IconInk::Success};
    case CheckModel::State::Noted:
      return {"info", IconInk::Warning};
    case CheckModel::State::Failed:
      return {"error", IconInk::Error};
    case CheckModel::State::Now:
      return {"clock", IconInk::Accent};
    case CheckModel::State::ToCome:
      break;
  }
  return {"pending", IconInk::Secondary};
}

class CheckDelegate : public QStyledItemDelegate {
 public:
  CheckDelegate(const Theme* theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme) {}

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const Colours& c = m_theme->colours();
    const auto state = CheckModel::State(index.data(CheckModel::StateRole).toInt());
    const bool failed = state == CheckModel::State::Failed;
    painter->fillRect(option.rect, failed ? c.errorBackground : c.base);
    QRect text = option.rect.adjusted(m_theme->px(8), 0, -m_theme->px(12), 0);
    if (index.column() == CheckModel::Title) {
      const int size = m_theme->px(15);
      const Mark mark = markOf(state);
      lookIcon(m_theme, mark.icon, mark.ink)
          .paint(painter, QRect(option.rect.left() + m_theme->px(12), option.rect.center().y() - size / 2,
                                size, size));
      text.setLeft(option.rect.left() + m_theme->px(36));
    }
    const bool isTitle = index.column() == CheckModel::Title;
    const bool dim = state == CheckModel::State::ToCome;
    painter->setFont(m_theme->font(isTitle ? 13 : 12, failed && isTitle ? QFont::DemiBold : QFont::Normal));
    painter->setPen(!isTitle || dim ? (failed && !isTitle ? c.text : c.textSecondary) : c.text);
    const Qt::Alignment side = index.column() == CheckModel::Time ? Qt::AlignRight : Qt::AlignLeft;
    painter->drawText(
        text, Qt::AlignVCenter | side,
        painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight, text.width()));
    if (!option.state.testFlag(QStyle::State_HasFocus)) return;
    painter->setPen(c.focus);
    painter->drawRect(option.rect.adjusted(0, 0, -1, -1));
  }

 private:
  const Theme* m_theme;
};

/// The box under the steps in the error's colour.
class FailureBox : public QWidget {
 public:
  explicit FailureBox(const Theme* theme) : m_theme(theme) {}

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.fillRect(rect(), m_theme->colours().errorBackground);
    painter.fillRect(QRect(0, 0, width(), 1), m_theme->colours().line);
  }

 private:
  const Theme* m_theme;
};

/// Lines begin in upper case. What is no plain word, a name of a file or of a function, stays.
QString sentences(const QString& text) {
  QStringList lines = text.split(QLatin1Char('\n'));
  for (QString& line : lines) {
    const QString word = line.section(QLatin1Char(' '), 0, 0);
    const bool plain = std::ranges::all_of(
        word, [](QChar c) { return c.isLower() || c == QLatin1Char(',') || c == QLatin1Char('\''); });
    if (plain && !word.isEmpty()) line[0] = line[0].toUpper();
  }
  return lines.join(QLatin1Char('\n'));
}

}  // namespace

CheckPanel::CheckPanel(const Theme* theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_model(new CheckModel(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(theme->px(6));
  auto* head = new QHBoxLayout;
  auto* title = new Text(theme, 13, &Colours::text, QFont::DemiBold);
  title->setText(QStringLiteral("Check"));
  m_summary = new Text(theme, 12, &Colours::textSecondary);
  head->addWidget(title);
  head->addStretch(1);
  head->addWidget(m_summary);
  layout->addLayout(head);
  auto* panel = new Panel(theme, {});
  m_table = new QTableView;
  m_table->setModel(m_model);
  m_table->setAccessibleName(QStringLiteral("Steps of the check"));
  m_table->setFrameShape(QFrame::NoFrame);
  m_table->setShowGrid(false);
  m_table->setSelectionMode(QAbstractItemView::NoSelection);
  m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_table->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_table->setTabKeyNavigation(false);
  m_table->horizontalHeader()->hide();
  m_table->verticalHeader()->hide();
  m_table->setItemDelegate(new CheckDelegate(theme, m_table));
  m_failure = new FailureBox(theme);
  auto* column = new QVBoxLayout(m_failure);
  column->setContentsMargins(theme->px(36), theme->px(8), theme->px(12), theme->px(10));
  column->setSpacing(theme->px(4));
  m_failureTitle = new Text(theme, 13, &Colours::text, QFont::DemiBold);
  m_failureText = new Text(theme, 12, &Colours::text);
  for (Text* text : {m_failureTitle, m_failureText}) {
    text->setWordWrap(true);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(text);
  }
  m_failureButtons = new QHBoxLayout;
  m_failureButtons->setSpacing(theme->px(8));
  column->addLayout(m_failureButtons);
  panel->body()->addWidget(m_table);
  panel->body()->addWidget(m_failure);
  layout->addWidget(panel);
  connect(theme, &Theme::changed, this, &CheckPanel::layoutTable);
  connect(m_model, &QAbstractItemModel::modelReset, this, &CheckPanel::layoutTable);
  connect(m_model, &QAbstractItemModel::rowsInserted, this, &CheckPanel::layoutTable);
  m_model->prepare(false);
  refresh({}, {});
}

void CheckPanel::layoutTable() {
  m_table->verticalHeader()->setMinimumSectionSize(m_theme->px(kRowHeight));
  m_table->verticalHeader()->setDefaultSectionSize(m_theme->px(kRowHeight));
  m_table->setColumnWidth(CheckModel::Title, m_theme->px(kTitleWidth));
  m_table->horizontalHeader()->setSectionResizeMode(CheckModel::Words, QHeaderView::Stretch);
  m_table->setColumnWidth(CheckModel::Time, m_theme->px(kTimeWidth));
  m_table->setFixedHeight(m_theme->px(kRowHeight) * m_model->rowCount());
}

void CheckPanel::refresh(const QStringList& keys, const QString& serverCommand) {
  m_summary->setText(m_model->summary());
  const auto& result = m_model->result();
  const bool failed = result && result->failure;
  m_failure->setVisible(failed);
  if (failed) fillFailure(keys, serverCommand);
}

void CheckPanel::fillFailure(const QStringList& keys, const QString& serverCommand) {
  const base::Error& error = *m_model->result()->failure;
  m_failureTitle->setText(sentences(format::fromUtf8(error.message)));
  m_failureText->setText(sentences(format::errorAdvice(error)));
  m_failureText->setVisible(!m_failureText->text().isEmpty());
  // A button must not go away under the mouse because something else was refreshed.
  const QStringList offers = keys + QStringList{serverCommand};
  if (offers == m_offers) return;
  m_offers = offers;
  clearLayout(m_failureButtons);
  for (const QString& key : keys.mid(0, 3)) {
    auto* use = new ActionButton(m_theme, nullptr, QStringLiteral("Use %1").arg(key));
    connect(use, &QPushButton::clicked, this, [this, key]() { Q_EMIT keyChosen(key); });
    m_failureButtons->addWidget(use);
  }
  auto* copy = new ActionButton(m_theme, "copy", QStringLiteral("Copy the server command"));
  copy->setToolTip(serverCommand);
  connect(copy, &QPushButton::clicked, this,
          [serverCommand]() { QGuiApplication::clipboard()->setText(serverCommand); });
  m_failureButtons->addWidget(copy);
  m_failureButtons->addStretch(1);
}

}  // namespace opscope::ui
