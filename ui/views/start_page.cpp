// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/start_page.h"

#include <QContextMenuEvent>
#include <QFile>
#include <QMenu>
#include <QPainter>
#include <QScrollArea>
#include <QStyle>
#include <QStyleOption>
#include <algorithm>

#include "ui/models/format.h"
#include "ui/views/look/properties.h"

namespace opscope::ui {
namespace {

/// A large button: icon, bold line, plain line, shortcut at the right.
class StartButton : public QPushButton {
 public:
  StartButton(const Theme* theme, const char* iconName, const QString& title, const QString& text,
              const QString& shortcut, bool primary)
      : m_theme(theme), m_iconName(iconName), m_text(text), m_shortcut(shortcut) {
    setText(title);
    setAccessibleDescription(text);
    setToolTip(QStringLiteral("%1 (%2)").arg(title, shortcut));
    setProperty(kPrimary, primary);
    setFixedHeight(theme->px(52));
    setAttribute(Qt::WA_Hover);
  }

  void setWords(const QString& words) {
    m_text = words;
    update();
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    QStyleOptionButton option;
    initStyleOption(&option);
    style()->drawPrimitive(QStyle::PE_PanelButtonCommand, &option, &painter, this);
    const Colours& c = m_theme->colours();
    const bool primary = property(kPrimary).toBool();
    const int size = m_theme->px(18), pad = m_theme->px(16), middle = height() / 2;
    lookIcon(m_theme, m_iconName, primary ? IconInk::OnAccent : IconInk::Text)
        .paint(&painter, QRect(pad, middle - size / 2, size, size));
    const QRect texts = rect().adjusted(m_theme->px(46), 0, -pad, 0);
    painter.setFont(m_theme->font(12));
    const int room = texts.width() - painter.fontMetrics().horizontalAdvance(m_shortcut) - m_theme->px(8);
    painter.setPen(!isEnabled() ? c.textDisabled : primary ? c.onAccent : c.text);
    painter.setFont(m_theme->font(13, QFont::DemiBold));
    const QRect upper(texts.left(), middle - m_theme->px(19), texts.width(), m_theme->px(19));
    painter.drawText(upper, Qt::AlignVCenter, painter.fontMetrics().elidedText(text(), Qt::ElideRight, room));
    painter.setPen(!isEnabled() ? c.textDisabled : primary ? c.onAccent : c.textSecondary);
    painter.setFont(m_theme->font(12));
    // Beside the title, so that the line below has the whole width.
    painter.drawText(upper, Qt::AlignVCenter | Qt::AlignRight, m_shortcut);
    painter.drawText(QRect(texts.left(), middle, texts.width(), m_theme->px(17)), Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(m_text, Qt::ElideRight, texts.width()));
  }

 private:
  const Theme* m_theme;
  const char* m_iconName;
  QString m_text;
  QString m_shortcut;
};

class DropArea : public QWidget {
 public:
  explicit DropArea(const Theme* theme) : m_theme(theme) { setMinimumHeight(theme->px(92)); }
  void setActive(bool active) {
    m_active = active;
    update();
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Colours& c = m_theme->colours();
    painter.setPen(QPen(m_active ? c.accent : c.controlBorder, m_active ? 2 : 1, Qt::DashLine));
    painter.setBrush(m_active ? c.hover : QColor(Qt::transparent));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), m_theme->px(4), m_theme->px(4));
    painter.setFont(m_theme->font(13));
    painter.setPen(c.textSecondary);
    painter.drawText(
        rect(), Qt::AlignCenter,
        m_active ? QStringLiteral("Drop to open") : QStringLiteral("Or drop a file anywhere in this window"));
  }

 private:
  const Theme* m_theme;
  bool m_active = false;
};

/// One recent file.
class RecentRow : public QAbstractButton {
 public:
  RecentRow(const Theme* theme, const RecentFile& file, const QDateTime& now) : m_theme(theme), m_file(file) {
    setText(format::shown(file.path.section(QLatin1Char('/'), -1)));
    setAccessibleDescription(file.path);
    setToolTip(file.path);
    m_day = dayText(file.openedAt, now);
    setFixedHeight(theme->px(40));
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    const Colours& c = m_theme->colours();
    if (underMouse()) painter.fillRect(rect(), c.hover);
    const int size = m_theme->px(16), middle = height() / 2;
    lookIcon(m_theme, "file", IconInk::Secondary)
        .paint(&painter, QRect(m_theme->px(12), middle - size / 2, size, size));
    painter.setFont(m_theme->font(12));
    painter.setPen(c.textSecondary);
    const int dayWidth = painter.fontMetrics().horizontalAdvance(m_day);
    painter.drawText(rect().adjusted(0, 0, -m_theme->px(12), 0), Qt::AlignVCenter | Qt::AlignRight, m_day);
    const int left = m_theme->px(38), room = width() - left - dayWidth - m_theme->px(28);
    painter.setFont(m_theme->font(13));
    painter.setPen(c.text);
    painter.drawText(QRect(left, middle - m_theme->px(17), room, m_theme->px(18)), Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(text(), Qt::ElideMiddle, room));
    painter.setFont(m_theme->font(11));
    painter.setPen(c.textSecondary);
    QString place = format::shortPath(m_file.path.section(QLatin1Char('/'), 0, -2));
    if (!m_file.note.isEmpty()) place += QStringLiteral(" · ") + m_file.note;
    painter.drawText(QRect(left, middle + 1, room, m_theme->px(15)), Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(place, Qt::ElideMiddle, room));
    if (hasFocus()) {
      QStyleOptionFocusRect option;
      option.initFrom(this);
      style()->drawPrimitive(QStyle::PE_FrameFocusRect, &option, &painter, this);
    }
  }

 private:
  const Theme* m_theme;
  RecentFile m_file;
  QString m_day;
};

/// One saved board: its name and place, and what was told of it today.
class BoardRow : public QAbstractButton {
 public:
  BoardRow(const Theme* theme, const SavedBoard& board) : m_theme(theme), m_board(board) {
    setText(QStringLiteral("%1 · %2").arg(board.name, board.address));
    setToolTip(QStringLiteral("Show %1 among the boards").arg(board.name));
    setAccessibleDescription(board.stateToday());
    setFixedHeight(theme->px(32));
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    const Colours& c = m_theme->colours();
    if (underMouse()) painter.fillRect(rect(), c.hover);
    const int size = m_theme->px(16), pad = m_theme->px(12);
    lookIcon(m_theme, "board", IconInk::Secondary)
        .paint(&painter, QRect(pad, (height() - size) / 2, size, size));
    const QString state = m_board.stateToday();
    const bool today = state == m_board.state;
    painter.setFont(m_theme->font(12));
    painter.setPen(today && m_board.passed ? c.success : c.textSecondary);
    painter.drawText(rect().adjusted(0, 0, -pad, 0), Qt::AlignVCenter | Qt::AlignRight, state);
    const int left = m_theme->px(38);
    const int room = width() - left - painter.fontMetrics().horizontalAdvance(state) - m_theme->px(24);
    painter.setFont(m_theme->font(13));
    painter.setPen(c.text);
    painter.drawText(QRect(left, 0, room, height()), Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(text(), Qt::ElideMiddle, room));
    if (!hasFocus()) return;
    QStyleOptionFocusRect option;
    option.initFrom(this);
    style()->drawPrimitive(QStyle::PE_FrameFocusRect, &option, &painter, this);
  }

 private:
  const Theme* m_theme;
  SavedBoard m_board;
};

struct Change {
  QString title;
  QString words;
};

/// A title line begins with "# ", and its words follow in the next line.
std::vector<Change> readChanges() {
  QFile file(QStringLiteral(":/changes.md"));
  if (!file.open(QIODevice::ReadOnly)) return {};
  std::vector<Change> changes;
  for (const QString& line : QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'), Qt::SkipEmptyParts)) {
    if (line.startsWith(QLatin1String("# "))) {
      changes.push_back({line.mid(2), {}});
    } else if (!changes.empty() && !line.startsWith(QLatin1String("<!--"))) {
      changes.back().words += (changes.back().words.isEmpty() ? QString() : QStringLiteral(" ")) + line;
    }
  }
  return changes;
}

/// More of them are in the Boards dialog.
constexpr std::size_t kMostBoards = 5;

}  // namespace

StartPage::StartPage(const Theme* theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  auto* whole = new QVBoxLayout(this);
  whole->setContentsMargins(0, 0, 0, 0);
  whole->setSpacing(0);
  m_left = new InfoBar(theme);
  whole->addWidget(m_left);
  // In a low window the page scrolls rather than cutting texts.
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setFocusPolicy(Qt::NoFocus);
  whole->addWidget(scroll, 1);
  auto* content = new QWidget;
  auto* outer = new QVBoxLayout(content);
  outer->setContentsMargins(0, 0, 0, 0);
  outer->addStretch(2);
  auto* columns = new QHBoxLayout;
  columns->setSpacing(theme->px(32));
  auto* left = new QVBoxLayout;
  left->setSpacing(theme->px(8));
  m_open = new StartButton(theme, "open", QStringLiteral("Open an executable or a report"),
                           QStringLiteral(".so, .json, .csv, a trace or a saved run"),
                           QStringLiteral("Ctrl+O"), true);
  m_sample = new StartButton(theme, "run", QStringLiteral("Try the sample"),
                             QStringLiteral("a small real model, needs no file"),
                             QStringLiteral("Ctrl+Shift+O"), false);
  m_connect = new StartButton(theme, "board", QStringLiteral("Connect to a board"),
                              QStringLiteral("direct or through a tracker"), QStringLiteral("Ctrl+B"), false);
  m_drop = new DropArea(theme);
  left->addWidget(m_open);
  left->addWidget(m_sample);
  left->addWidget(m_connect);
  left->addSpacing(theme->px(8));
  left->addWidget(m_drop);
  left->addWidget(buildBoards());
  left->addStretch(1);
  columns->addLayout(left, 2);
  columns->addLayout(buildLists(), 3);
  auto* middle = new QWidget;
  middle->setMaximumWidth(theme->px(1040));
  auto* inner = new QVBoxLayout(middle);
  inner->setSpacing(theme->px(24));
  inner->addLayout(buildTitle());
  inner->addLayout(columns, 1);
  auto* row = new QHBoxLayout;
  row->addStretch(1);
  row->addWidget(middle, 20);
  row->addStretch(1);
  outer->addLayout(row, 12);
  outer->addStretch(1);
  connect(m_open, &QAbstractButton::clicked, this, &StartPage::openRequested);
  connect(m_sample, &QAbstractButton::clicked, this, &StartPage::sampleRequested);
  connect(m_connect, &QAbstractButton::clicked, this, [this]() { Q_EMIT boardsRequested({}); });
  connect(theme, &Theme::changed, this, qOverload<>(&QWidget::update));
  scroll->setWidget(content);
  setRecentFiles({});
}

QLayout* StartPage::buildTitle() {
  m_title = new QBoxLayout(QBoxLayout::LeftToRight);
  auto* name = new Text(m_theme, 26, &Colours::text, QFont::DemiBold);
  name->setText(QStringLiteral("Opscope"));
  auto* words = new Text(m_theme, 13, &Colours::textSecondary);
  words->setText(QStringLiteral("See where the time of a compiled TVM model goes, here and on your boards"));
  m_title->addWidget(name);
  m_title->setSpacing(m_theme->px(14));
  m_title->addWidget(words, 1, Qt::AlignBottom);
  words->setContentsMargins(0, 0, 0, m_theme->px(4));
  return m_title;
}

void StartPage::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  m_title->setDirection(width() < m_theme->px(760) ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

QWidget* StartPage::buildBoards() {
  m_boards = new QWidget;
  auto* column = new QVBoxLayout(m_boards);
  column->setContentsMargins(0, m_theme->px(12), 0, 0);
  column->setSpacing(m_theme->px(6));
  auto* title = new Text(m_theme, 12, &Colours::textSecondary, QFont::DemiBold);
  title->setText(QStringLiteral("Boards"));
  column->addWidget(title);
  auto* panel = new Panel(m_theme, {});
  m_boardRows = new QVBoxLayout;
  m_boardRows->setSpacing(0);
  panel->body()->addLayout(m_boardRows);
  column->addWidget(panel);
  m_boards->hide();
  return m_boards;
}

void StartPage::setBoards(const std::vector<SavedBoard>& boards) {
  clearLayout(m_boardRows);
  for (std::size_t i = 0; i < std::min(kMostBoards, boards.size()); ++i) {
    auto* row = new BoardRow(m_theme, boards[i]);
    connect(row, &QAbstractButton::clicked, this,
            [this, id = boards[i].id]() { Q_EMIT boardsRequested(id); });
    m_boardRows->addWidget(row);
  }
  m_boards->setVisible(!boards.empty());
}

QLayout* StartPage::buildLists() {
  auto* right = new QVBoxLayout;
  right->setSpacing(m_theme->px(6));
  auto* recentTitle = new Text(m_theme, 12, &Colours::textSecondary, QFont::DemiBold);
  recentTitle->setText(QStringLiteral("Recent"));
  right->addWidget(recentTitle);
  auto* panel = new Panel(m_theme, {});
  m_recent = new QVBoxLayout;
  m_recent->setSpacing(0);
  panel->body()->addLayout(m_recent);
  right->addWidget(panel);
  m_lastRuns = new LastRuns(m_theme);
  connect(m_lastRuns, &LastRuns::openRequested, this, &StartPage::savedRunRequested);
  right->addWidget(m_lastRuns);
  right->addWidget(buildChanges());
  right->addStretch(1);
  return right;
}

QWidget* StartPage::buildChanges() {
  auto* changes = new QWidget;
  auto* column = new QVBoxLayout(changes);
  column->setContentsMargins(0, m_theme->px(12), 0, 0);
  column->setSpacing(m_theme->px(6));
  column->addWidget(plainText(m_theme, QStringLiteral("What changed in this version"), 12,
                              &Colours::textSecondary, QFont::DemiBold));
  auto* panel = new Panel(m_theme, {});
  auto* rows = new QVBoxLayout;
  rows->setContentsMargins(m_theme->px(12), m_theme->px(8), m_theme->px(12), m_theme->px(8));
  rows->setSpacing(m_theme->px(6));
  for (const Change& change : readChanges()) {
    auto* head = new ElidedText(m_theme, 13, &Colours::text, QFont::DemiBold);
    head->setText(change.title);
    auto* words = new ElidedText(m_theme, 12, &Colours::textSecondary);
    words->setText(change.words);
    if (rows->count() > 0) rows->addSpacing(m_theme->px(4));
    rows->addWidget(head);
    rows->addWidget(words);
  }
  auto* guide = new LinkButton(m_theme, QStringLiteral("Read the guide"));
  guide->setToolTip(QStringLiteral("Open the guide (F1)"));
  connect(guide, &QAbstractButton::clicked, this, &StartPage::guideRequested);
  rows->addWidget(guide);
  panel->body()->addLayout(rows);
  column->addWidget(panel);
  return changes;
}

void StartPage::setRecentFiles(const RecentFiles& files) {
  clearLayout(m_recent);
  const QDateTime now = QDateTime::currentDateTime();
  for (const RecentFile& file : files.files()) {
    auto* row = new RecentRow(m_theme, file, now);
    connect(row, &QAbstractButton::clicked, this, [this, path = file.path]() { Q_EMIT fileRequested(path); });
    row->setContextMenuPolicy(Qt::ActionsContextMenu);
    auto* forget = new QAction(QStringLiteral("Remove from this list"), row);
    connect(forget, &QAction::triggered, this, [this, path = file.path]() { Q_EMIT forgetRequested(path); });
    row->addAction(forget);
    m_recent->addWidget(row);
  }
  if (!files.files().empty()) return;
  auto* none = new Text(m_theme, 12, &Colours::textSecondary);
  none->setText(QStringLiteral("Files that you open are listed here."));
  none->setContentsMargins(m_theme->px(14), m_theme->px(12), m_theme->px(14), m_theme->px(12));
  m_recent->addWidget(none);
}

void StartPage::setLastRuns(const std::vector<store::StoredRun>& runs) {
  m_lastRuns->setRuns(runs);
}

void StartPage::setSampleAvailable(bool available) {
  m_sample->setEnabled(available);
  m_sample->setToolTip(available ? QStringLiteral("Try the sample (Ctrl+Shift+O)")
                                 : QStringLiteral("The sample is not installed with this build of Opscope"));
  static_cast<StartButton*>(m_sample)->setWords(available
                                                    ? QStringLiteral("a small real model, needs no file")
                                                    : QStringLiteral("not installed with this build"));
}

void StartPage::setLeftOpen(const QString& words) {
  m_left->clearButtons();
  m_left->setVisible(!words.isEmpty());
  if (words.isEmpty()) return;
  m_left->showMessage(InfoBar::Kind::Warning, QStringLiteral("Opscope did not end by itself the last time."),
                      words);
  connect(m_left->addButton(QStringLiteral("Open it again")), &QPushButton::clicked, this,
          &StartPage::restoreRequested, Qt::QueuedConnection);
  connect(m_left->addButton(QStringLiteral("Start empty")), &QPushButton::clicked, this,
          &StartPage::discardRequested, Qt::QueuedConnection);
}

void StartPage::setDropActive(bool active) {
  static_cast<DropArea*>(m_drop)->setActive(active);
}

}  // namespace opscope::ui
