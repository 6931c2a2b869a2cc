// SPDX-License-Identifier: GPL-3.0-or-later
// The user guide: the Markdown files of docs/guide, which are within the program. Contents at the left, the
// page at the right, back and forward, search in the page. GUI thread; the theme outlives it.
#pragma once

#include <QLineEdit>
#include <QListWidget>
#include <QTextBrowser>
#include <QWidget>

#include "ui/views/widgets/labels.h"

class QToolButton;

namespace opscope::ui {

struct GuidePage {
  QString id;     ///< "boards"
  QString title;  ///< its first heading
};

/// Those that are there, in the order of the guide.
std::vector<GuidePage> guidePages();

class GuideWindow : public QWidget {
  Q_OBJECT
 public:
  explicit GuideWindow(const Theme* theme, QWidget* parent = nullptr);
  /// A page by its id; the start of the guide when there is no such page.
  void showPage(const QString& id);
  const QString& pageId() const { return m_page; }
  QTextBrowser* browser() { return m_browser; }
  QListWidget* contents() { return m_contents; }
  QLineEdit* searchField() { return m_search; }

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* buildBar();
  QToolButton* addButton(QLayout* row, const char* icon, const QString& name, const QKeySequence& keys);
  void restyle();
  void find(bool backward);
  void findFrom(const QTextCursor& cursor, bool backward);
  void onPageChanged(const QUrl& page);
  void follow(const QUrl& link);
  void scrollToHeading(const QString& anchor);

  const Theme* m_theme;
  QString m_page;
  QListWidget* m_contents;
  QTextBrowser* m_browser;
  QLineEdit* m_search;
  Text* m_found;
  QToolButton* m_back;
  QToolButton* m_forward;
  QToolButton* m_home;
};

}  // namespace opscope::ui
