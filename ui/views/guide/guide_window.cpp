// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/guide/guide_window.h"

#include <QAbstractTextDocumentLayout>
#include <QDesktopServices>
#include <QDir>
#include <QFile>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextList>
#include <QTextTable>
#include <QToolButton>
#include <algorithm>
#include <array>

#include "ui/views/look/properties.h"
#include "ui/views/widgets/panels.h"

namespace opscope::ui {
namespace {

const QString kFolder = QStringLiteral(":/guide/");
/// What the window has room for at its usual size, between its margins.
constexpr int kPictureWidth = 700;

/// The order of the guide; pages that are not named come after it.
constexpr std::array kOrder = {"index",  "start", "running",   "ops",  "timeline", "charts",     "compare",
                               "memory", "code",  "inspector", "runs", "boards",   "instrument", "keys"};

QString titleOf(const QString& file, const QString& id) {
  QFile page(file);
  if (!page.open(QIODevice::ReadOnly)) return id;
  while (!page.atEnd()) {
    const QString line = QString::fromUtf8(page.readLine()).trimmed();
    if (line.startsWith(QLatin1String("# "))) return line.mid(2);
  }
  return id;
}

/// As web pages of Markdown name headings: "where-it-runs".
QString anchorOf(const QString& heading) {
  QString anchor;
  for (const QChar c : heading.toLower()) {
    if (c.isLetterOrNumber()) anchor += c;
    if (c == QLatin1Char(' ') || c == QLatin1Char('-')) anchor += QLatin1Char('-');
  }
  return anchor;
}

int placeOf(const QString& id) {
  const auto found =
      std::ranges::find_if(kOrder, [&](const char* name) { return id == QLatin1String(name); });
  return int(found - kOrder.begin());
}

class ContentsDelegate : public QStyledItemDelegate {
 public:
  ContentsDelegate(const Theme* theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme) {}
  QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
    return {0, m_theme->px(30)};
  }
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const Colours& c = m_theme->colours();
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    const bool hovered = option.state.testFlag(QStyle::State_MouseOver);
    painter->fillRect(option.rect, selected ? c.selection : hovered ? c.hover : c.base);
    painter->setFont(m_theme->font(13));
    painter->setPen(selected ? c.onSelection : c.text);
    const QRect text = option.rect.adjusted(m_theme->px(14), 0, -m_theme->px(8), 0);
    painter->drawText(
        text, Qt::AlignVCenter | Qt::AlignLeft,
        painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight, text.width()));
    if (!option.state.testFlag(QStyle::State_HasFocus)) return;
    painter->setPen(c.focus);
    painter->drawRect(option.rect.adjusted(0, 0, -1, -1));
  }

 private:
  const Theme* m_theme;
};

/// Makes the pictures of a page fit: Markdown has no width for them, and painting a large one small is rough.
void fitPictures(QTextDocument* document, int width, double scale) {
  for (QTextBlock block = document->begin(); block.isValid(); block = block.next()) {
    for (QTextBlock::iterator part = block.begin(); !part.atEnd(); ++part) {
      if (!part.fragment().charFormat().isImageFormat()) continue;
      QTextImageFormat format = part.fragment().charFormat().toImageFormat();
      QImage picture(kFolder + format.name());
      if (picture.isNull() || format.hasProperty(QTextFormat::ImageWidth)) continue;
      const int shown = std::min(width, picture.width());
      format.setWidth(shown);
      format.setHeight(double(shown) * picture.height() / picture.width());
      picture = picture.scaledToWidth(int(std::min(shown * scale, double(picture.width()))),
                                      Qt::SmoothTransformation);
      document->addResource(QTextDocument::ImageResource, QUrl(format.name()), picture);
      QTextCursor cursor(document);
      cursor.setPosition(part.fragment().position());
      cursor.movePosition(QTextCursor::NextCharacter, QTextCursor::KeepAnchor);
      cursor.setCharFormat(format);
      break;  // the fragments of the block are new ones
    }
  }
}

QString idOf(const QUrl& page) {
  return page.fileName().section(QLatin1Char('.'), 0, 0);
}

}  // namespace

std::vector<GuidePage> guidePages() {
  std::vector<GuidePage> pages;
  for (const QString& name : QDir(kFolder).entryList({QStringLiteral("*.md")}, QDir::Files, QDir::Name)) {
    const QString id = name.section(QLatin1Char('.'), 0, 0);
    pages.push_back({id, titleOf(kFolder + name, id)});
  }
  std::ranges::stable_sort(pages, {}, [](const GuidePage& page) { return placeOf(page.id); });
  return pages;
}

GuideWindow::GuideWindow(const Theme* theme, QWidget* parent) : QWidget(parent, Qt::Window), m_theme(theme) {
  setWindowTitle(QStringLiteral("Guide – Opscope"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(buildBar());
  layout->addWidget(new Hairline(theme));
  auto* middle = new QHBoxLayout;
  middle->setSpacing(0);
  m_contents = new QListWidget;
  m_contents->setFrameShape(QFrame::NoFrame);
  m_contents->setFixedWidth(theme->px(210));
  m_contents->setAccessibleName(QStringLiteral("Contents of the guide"));
  m_contents->setItemDelegate(new ContentsDelegate(theme, m_contents));
  m_contents->viewport()->setMouseTracking(true);
  for (const GuidePage& page : guidePages()) {
    auto* item = new QListWidgetItem(page.title, m_contents);
    item->setData(Qt::UserRole, page.id);
  }
  m_browser = new QTextBrowser;
  m_browser->setFrameShape(QFrame::NoFrame);
  m_browser->setOpenLinks(false);
  m_browser->setAccessibleName(QStringLiteral("Page of the guide"));
  middle->addWidget(m_contents);
  middle->addWidget(new Hairline(theme, Qt::Vertical));
  middle->addWidget(m_browser, 1);
  layout->addLayout(middle, 1);
  connect(m_contents, &QListWidget::currentItemChanged, this, [this](QListWidgetItem* item) {
    if (item != nullptr && item->data(Qt::UserRole).toString() != pageId())
      showPage(item->data(Qt::UserRole).toString());
  });
  connect(m_browser, &QTextBrowser::sourceChanged, this, &GuideWindow::onPageChanged);
  connect(m_browser, &QTextBrowser::anchorClicked, this, &GuideWindow::follow);
  connect(m_browser, &QTextBrowser::backwardAvailable, m_back, &QWidget::setEnabled);
  connect(m_browser, &QTextBrowser::forwardAvailable, m_forward, &QWidget::setEnabled);
  connect(theme, &Theme::changed, this, &GuideWindow::restyle);
  resize(theme->px(980), theme->px(700));
  restyle();
  showPage(QStringLiteral("index"));
}

QToolButton* GuideWindow::addButton(QLayout* row, const char* icon, const QString& name,
                                    const QKeySequence& keys) {
  QToolButton* button = iconButton(m_theme, icon, name, this);
  button->setShortcut(keys);
  button->setToolTip(QStringLiteral("%1 (%2)").arg(name, keys.toString(QKeySequence::NativeText)));
  row->addWidget(button);
  return button;
}

QWidget* GuideWindow::buildBar() {
  auto* bar = new QWidget;
  bar->setFixedHeight(m_theme->px(40));
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(m_theme->px(8), 0, m_theme->px(10), 0);
  row->setSpacing(m_theme->px(4));
  m_back = addButton(row, "back", QStringLiteral("Back"), QKeySequence(QStringLiteral("Alt+Left")));
  m_forward = addButton(row, "forward", QStringLiteral("Forward"), QKeySequence(QStringLiteral("Alt+Right")));
  m_home =
      addButton(row, "home", QStringLiteral("Start of the guide"), QKeySequence(QStringLiteral("Alt+Home")));
  m_back->setEnabled(false);
  m_forward->setEnabled(false);
  row->addStretch(1);
  m_found = new Text(m_theme, 12, &Colours::textSecondary);
  row->addWidget(m_found);
  m_search = new QLineEdit;
  m_search->setPlaceholderText(QStringLiteral("Find in page"));
  m_search->setAccessibleName(QStringLiteral("Find in page"));
  m_search->setToolTip(
      QStringLiteral("Find in page (Ctrl+F); Return goes to the next, Shift+Return to the one before"));
  m_search->setFixedWidth(m_theme->px(220));
  m_search->addAction(lookIcon(m_theme, "search", IconInk::Secondary), QLineEdit::LeadingPosition);
  row->addWidget(m_search);
  connect(m_back, &QToolButton::clicked, this, [this]() { m_browser->backward(); });
  connect(m_forward, &QToolButton::clicked, this, [this]() { m_browser->forward(); });
  connect(m_home, &QToolButton::clicked, this, [this]() { showPage(QStringLiteral("index")); });
  connect(m_search, &QLineEdit::textEdited, this, [this]() {
    QTextCursor start = m_browser->textCursor();
    start.setPosition(start.selectionStart());
    findFrom(start, false);
  });
  return bar;
}

void GuideWindow::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  // The text is what it is opened for: the keys that scroll go there.
  m_browser->setFocus(Qt::OtherFocusReason);
}

void GuideWindow::showPage(const QString& id) {
  const QString file = kFolder + id + QStringLiteral(".md");
  const QString wanted = QFile::exists(file) ? id : QStringLiteral("index");
  if (wanted != pageId()) m_browser->setSource(QUrl(QStringLiteral("qrc:/guide/%1.md").arg(wanted)));
}

void GuideWindow::follow(const QUrl& link) {
  if (!link.isRelative() && link.scheme() != QLatin1String("qrc")) {
    QDesktopServices::openUrl(link);
    return;
  }
  const QString id = idOf(link);
  if (!id.isEmpty()) showPage(id);
  if (link.hasFragment()) scrollToHeading(link.fragment());
}

void GuideWindow::scrollToHeading(const QString& anchor) {
  for (QTextBlock block = m_browser->document()->begin(); block.isValid(); block = block.next()) {
    if (block.blockFormat().headingLevel() == 0 || anchorOf(block.text()) != anchor) continue;
    QTextCursor cursor(block);
    m_browser->setTextCursor(cursor);
    m_browser->verticalScrollBar()->setValue(
        int(m_browser->document()->documentLayout()->blockBoundingRect(block).top()));
    return;
  }
}

void GuideWindow::onPageChanged(const QUrl& page) {
  // The browser's own source is still the page before.
  const QString& id = m_page = idOf(page);
  for (int row = 0; row < m_contents->count(); ++row) {
    if (m_contents->item(row)->data(Qt::UserRole).toString() == id) m_contents->setCurrentRow(row);
  }
  m_search->clear();
  m_found->clear();
  m_search->setProperty(kInvalid, false);
  restyle();
}

void GuideWindow::restyle() {
  const Colours& c = m_theme->colours();
  QPalette palette = m_browser->palette();
  palette.setColor(QPalette::Base, c.base);
  palette.setColor(QPalette::Text, c.text);
  palette.setColor(QPalette::Link, c.accent);
  palette.setColor(QPalette::LinkVisited, c.accent);
  m_browser->setPalette(palette);
  m_contents->viewport()->update();
  QTextDocument* document = m_browser->document();
  document->setDefaultFont(m_theme->font(13));
  document->setDocumentMargin(m_theme->px(20));
  // Markdown has no style sheet: room between blocks, headings by the look's sizes, tables with hairlines.
  QTextCursor cursor(document);
  for (QTextBlock block = document->begin(); block.isValid(); block = block.next()) {
    cursor.setPosition(block.position());
    QTextBlockFormat format = block.blockFormat();
    const int level = format.headingLevel();
    const bool isCell = cursor.currentTable() != nullptr;
    // A picture's line would be higher than the picture by that part, too.
    const bool isPicture = block.text().contains(QChar::ObjectReplacementCharacter);
    format.setLineHeight(isPicture ? 100 : isCell ? 120 : 135, QTextBlockFormat::ProportionalHeight);
    format.setTopMargin(level > 1 ? m_theme->px(16) : 0);
    format.setBottomMargin(isCell ? 0 : m_theme->px(block.textList() != nullptr ? 3 : 8));
    cursor.setBlockFormat(format);
    if (level > 0) {
      cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
      QTextCharFormat heading;
      heading.setFont(m_theme->font(level == 1 ? 22 : level == 2 ? 16 : 14, QFont::DemiBold));
      cursor.mergeCharFormat(heading);
      cursor.clearSelection();
    }
    for (QTextBlock::iterator part = block.begin(); !part.atEnd(); ++part) {
      if (!part.fragment().charFormat().isAnchor()) continue;
      QTextCursor link(document);
      link.setPosition(part.fragment().position());
      link.setPosition(part.fragment().position() + part.fragment().length(), QTextCursor::KeepAnchor);
      QTextCharFormat colour;
      colour.setForeground(c.accent);
      link.mergeCharFormat(colour);
    }
  }
  for (QTextFrame* frame : document->rootFrame()->childFrames()) {
    auto* table = qobject_cast<QTextTable*>(frame);
    if (table == nullptr) continue;
    QTextTableFormat format = table->format();
    format.setBorderBrush(c.line);
    format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
    format.setBorderCollapse(true);
    format.setBorder(1);
    format.setCellPadding(m_theme->px(5));
    format.setCellSpacing(0);
    format.setTopMargin(m_theme->px(6));
    format.setBottomMargin(m_theme->px(12));
    table->setFormat(format);
  }
  fitPictures(document, m_theme->px(kPictureWidth), devicePixelRatioF());
  document->clearUndoRedoStacks();
}

void GuideWindow::find(bool backward) {
  findFrom(m_browser->textCursor(), backward);
}

void GuideWindow::findFrom(const QTextCursor& cursor, bool backward) {
  const QString words = m_search->text();
  QTextDocument* document = m_browser->document();
  if (words.isEmpty()) {
    m_found->clear();
    m_search->setProperty(kInvalid, false);
    m_search->update();
    return;
  }
  QTextDocument::FindFlags flags;
  if (backward) flags |= QTextDocument::FindBackward;
  QTextCursor found = document->find(words, cursor, flags);
  if (found.isNull()) {
    QTextCursor edge(document);
    if (backward) edge.movePosition(QTextCursor::End);
    found = document->find(words, edge, flags);
  }
  int count = 0, place = 0;
  for (QTextCursor at = document->find(words, 0); !at.isNull(); at = document->find(words, at)) {
    ++count;
    if (!found.isNull() && at.selectionStart() <= found.selectionStart()) ++place;
  }
  m_search->setProperty(kInvalid, count == 0);
  m_search->update();
  m_found->setText(count == 0 ? QStringLiteral("not in this page")
                              : QStringLiteral("%1 of %2").arg(place).arg(count));
  if (!found.isNull()) m_browser->setTextCursor(found);
}

void GuideWindow::keyPressEvent(QKeyEvent* event) {
  const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  if (event->matches(QKeySequence::Find) || event->key() == Qt::Key_Slash) {
    m_search->setFocus(Qt::ShortcutFocusReason);
    m_search->selectAll();
  } else if (enter && focusWidget() == m_search) {
    find(event->modifiers().testFlag(Qt::ShiftModifier));
  } else if (event->key() == Qt::Key_F3) {
    find(event->modifiers().testFlag(Qt::ShiftModifier));
  } else if (event->key() == Qt::Key_Escape) {
    if (focusWidget() == m_search && !m_search->text().isEmpty()) {
      m_search->clear();
      findFrom(m_browser->textCursor(), false);
    } else {
      close();
    }
  } else {
    QWidget::keyPressEvent(event);
  }
}

}  // namespace opscope::ui
