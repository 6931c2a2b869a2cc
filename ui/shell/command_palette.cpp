// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/command_palette.h"

#include <QKeyEvent>
#include <QPainter>
#include <QScrollArea>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QVBoxLayout>
#include <algorithm>
#include <numeric>

#include "ui/views/widgets/column_flow.h"
#include "ui/views/widgets/panels.h"

namespace opscope::ui {
namespace {

enum PaletteRole { kShortcutRole = Qt::UserRole + 1, kPositionRole, kEnabledRole };

class PaletteDelegate : public QStyledItemDelegate {
 public:
  PaletteDelegate(const Theme* theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme) {}
  QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
    return {0, m_theme->px(28)};
  }
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const Colours& c = m_theme->colours();
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    painter->fillRect(option.rect, selected ? c.selection : c.base);
    const bool enabled = index.data(kEnabledRole).toBool();
    painter->setPen(!enabled ? c.textDisabled : selected ? c.onSelection : c.text);
    painter->setFont(m_theme->font(13));
    const QRect r = option.rect.adjusted(m_theme->px(12), 0, -m_theme->px(12), 0);
    const QString shortcut = index.data(kShortcutRole).toString();
    const int beside = QFontMetrics(m_theme->font(12)).horizontalAdvance(shortcut) + m_theme->px(12);
    const QString text = painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight,
                                                           r.width() - (shortcut.isEmpty() ? 0 : beside));
    painter->drawText(r, Qt::AlignVCenter | Qt::AlignLeft, text);
    painter->setPen(!enabled ? c.textDisabled : selected ? c.onSelection : c.textTertiary);
    painter->setFont(m_theme->font(12));
    painter->drawText(r, Qt::AlignVCenter | Qt::AlignRight, shortcut);
  }

 private:
  const Theme* m_theme;
};

bool matches(const QString& text, const QString& words) {
  for (const QString& word : words.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
    if (!text.contains(word, Qt::CaseInsensitive)) return false;
  }
  return true;
}

QString menuName(Menu menu) {
  switch (menu) {
    case Menu::File:
      return QStringLiteral("File");
    case Menu::Edit:
      return QStringLiteral("Edit");
    case Menu::View:
      return QStringLiteral("View");
    case Menu::Page:
      return QStringLiteral("Page");
    case Menu::Run:
      return QStringLiteral("Run");
    case Menu::Instrument:
      return QStringLiteral("Instrument");
    case Menu::Boards:
      return QStringLiteral("Boards");
    default:
      return QStringLiteral("Help");
  }
}

/// "File"; of a command of a page, the page.
QString sectionName(const Command& command) {
  return command.menu() == Menu::Page ? command.submenu() : menuName(command.menu());
}

}  // namespace

CommandPalette::CommandPalette(const Theme* theme, std::vector<Command*> commands, QWidget* parent)
    : QDialog(parent, Qt::Popup), m_theme(theme), m_commands(std::move(commands)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setAccessibleName(QStringLiteral("Find action"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(theme->px(8), theme->px(8), theme->px(8), theme->px(8));
  m_field = new QLineEdit;
  m_field->setPlaceholderText(QStringLiteral("Find action"));
  m_field->setAccessibleName(QStringLiteral("Find action"));
  m_list = new QListWidget;
  m_list->setFrameShape(QFrame::NoFrame);
  m_list->setItemDelegate(new PaletteDelegate(theme, m_list));
  m_list->setFocusPolicy(Qt::NoFocus);
  layout->addWidget(m_field);
  layout->addWidget(m_list);
  resize(theme->px(520), theme->px(400));
  m_field->installEventFilter(this);
  connect(m_field, &QLineEdit::textChanged, this, &CommandPalette::fill);
  connect(m_field, &QLineEdit::returnPressed, this, &CommandPalette::choose);
  connect(m_list, &QListWidget::itemClicked, this, [this]() { choose(); });
  fill({});
  // A popup is never the active window of X11: keys go to what has its focus when it opens, or are lost.
  m_field->setFocus(Qt::PopupFocusReason);
}

void CommandPalette::fill(const QString& words) {
  m_list->clear();
  // What can be done stands before what cannot.
  std::vector<std::size_t> order(m_commands.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::ranges::stable_partition(order, [this](std::size_t i) { return m_commands[i]->isEnabled(); });
  for (const std::size_t i : order) {
    const Command* command = m_commands[i];
    const QString text = QStringLiteral("%1: %2").arg(sectionName(*command), command->text());
    if (!matches(text + QLatin1Char(' ') + command->toolTip(), words)) continue;
    auto* item = new QListWidgetItem(text, m_list);
    item->setData(kShortcutRole, command->shortcutText());
    item->setData(kPositionRole, int(i));
    item->setData(kEnabledRole, command->isEnabled());
  }
  if (m_list->count() == 0) {
    auto* nothing = new QListWidgetItem(QStringLiteral("No action has “%1”").arg(words.simplified()), m_list);
    nothing->setData(kEnabledRole, false);
    nothing->setFlags(Qt::NoItemFlags);
    return;
  }
  m_list->setCurrentRow(0);
}

void CommandPalette::choose() {
  QListWidgetItem* item = m_list->currentItem();
  if (item == nullptr || !item->data(kEnabledRole).toBool()) return;
  Command* command = m_commands[std::size_t(item->data(kPositionRole).toInt())];
  close();
  command->trigger();
}

void CommandPalette::paintEvent(QPaintEvent*) {
  // A popup has no frame of the window manager's.
  QPainter painter(this);
  painter.fillRect(rect(), m_theme->colours().window);
  painter.setPen(m_theme->colours().controlBorder);
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    const int step = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
    if (step != 0 && m_list->count() > 0) {
      m_list->setCurrentRow((m_list->currentRow() + step + m_list->count()) % m_list->count());
      return true;
    }
  }
  return QDialog::eventFilter(watched, event);
}

namespace {

/// Keys that belong to a view and are no command of a menu.
struct ViewKeys {
  const char* title;
  std::vector<std::pair<const char*, const char*>> rows;  ///< what, keys
};

const std::vector<ViewKeys>& viewKeys() {
  static const std::vector<ViewKeys> keys = {
      {"In the Timeline",
       {{"From block to block, lane to lane", "arrows"}, {"Show what is chosen", "Return"}}},
      {"In Ops",
       {{"Its longest call on the Timeline", "Return"},
        {"Unfold and fold the row", "+ and -"},
        {"From cell to cell", "Left, Right"}}},
      {"In Runs",
       {{"Tick", "Space"},
        {"Compare two", "C"},
        {"Into the old or the new group", "O, N"},
        {"Write the note, the tags", "F2, Shift+F2"},
        {"Delete", "Del"}}},
  };
  return keys;
}

/// A title with its keys.
QWidget* keyBlock(const Theme* theme, const QString& title, const std::vector<FactList::Row>& rows) {
  auto* block = new QWidget;
  auto* layout = new QVBoxLayout(block);
  layout->setContentsMargins(0, 0, 0, theme->px(18));
  layout->setSpacing(theme->px(6));
  auto* head = new Text(theme, 13, &Colours::text, QFont::DemiBold);
  head->setText(title);
  layout->addWidget(head);
  auto* list = new FactList(theme);
  list->setRows(rows);
  layout->addWidget(list);
  layout->addStretch(1);
  return block;
}

void fillKeys(const Theme* theme, ColumnFlow* flow, const std::vector<Command*>& commands) {
  std::vector<FactList::Row> rows;
  QString current = menuName(Menu::File);
  const auto end = [&]() {
    if (!rows.empty()) flow->addBlock(keyBlock(theme, current, rows));
    rows.clear();
  };
  for (const Command* command : commands) {
    if (const QString section = sectionName(*command); section != current) {
      end();
      current = section;
    }
    rows.push_back({command->text(), command->shortcutText(), false});
  }
  end();
  for (const ViewKeys& view : viewKeys()) {
    for (const auto& [what, keys] : view.rows)
      rows.push_back({QString::fromUtf8(what), QString::fromUtf8(keys), false});
    current = QString::fromUtf8(view.title);
    end();
  }
}

/// A column has room for the longest words with their keys.
constexpr int kKeyColumn = 310;
constexpr int kMostKeyColumns = 4;

}  // namespace

ShortcutSheet::ShortcutSheet(const Theme* theme, const std::vector<Command*>& commands, QWidget* parent)
    : QDialog(parent) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(QStringLiteral("Keyboard shortcuts"));
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(theme->px(16), theme->px(16), theme->px(16), theme->px(16));
  auto* flow = new ColumnFlow(theme->px(kKeyColumn), theme->px(28), theme->px(8));
  fillKeys(theme, flow, commands);
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(flow);
  scroll->setAccessibleName(QStringLiteral("Keyboard shortcuts"));
  outer->addWidget(scroll, 1);
  auto* done = new ActionButton(theme, nullptr, QStringLiteral("Close"));
  connect(done, &QPushButton::clicked, this, &QDialog::close);
  outer->addWidget(done, 0, Qt::AlignRight);
  // As many columns as the window has room for, then a part of them that scrolls.
  const QSize most = parent == nullptr ? QSize(4000, 4000) : parent->size() - QSize(40, 40);
  const QSize around(theme->px(2 * 16 + 4), theme->px(84));
  int columns = kMostKeyColumns;
  while (columns > 1 && flow->widthOf(columns) + around.width() > most.width()) --columns;
  const int wide = flow->widthOf(columns);
  QSize whole(wide + around.width(), flow->heightForWidth(wide) + around.height());
  if (whole.height() > most.height()) whole.rwidth() += scroll->verticalScrollBar()->sizeHint().width();
  resize(whole.boundedTo(most));
}

}  // namespace opscope::ui
