// SPDX-License-Identifier: GPL-3.0-or-later
// Framed panels, lists of facts, empty states and bars over pages. GUI thread.
#pragma once

#include <QFrame>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QVBoxLayout>
#include <vector>

#include "ui/views/widgets/buttons.h"
#include "ui/views/widgets/labels.h"

namespace opscope::ui {

/// Removes and deletes everything in a layout.
void clearLayout(QLayout* layout);

/// A panel in the base colour with a hairline around it and a title row.
class Panel : public QFrame {
  Q_OBJECT
 public:
  /// Without a title there is no title row.
  Panel(const Theme* theme, const QString& title, QWidget* parent = nullptr);
  void setTitle(const QString& title);
  /// A widget at the right end of the title row.
  void addTitleWidget(QWidget* widget);
  QVBoxLayout* body() { return m_body; }
  /// A hairline between title and body.
  void setTitleLine(bool lined);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  const Theme* m_theme;
  Text* m_title;
  QWidget* m_titleRow;
  QHBoxLayout* m_titleLayout;
  QVBoxLayout* m_body;
  bool m_lined = false;
};

class Hairline : public QWidget {
  Q_OBJECT
 public:
  explicit Hairline(const Theme* theme, Qt::Orientation orientation = Qt::Horizontal,
                    QWidget* parent = nullptr);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  const Theme* m_theme;
};

/// Names at the left, values at the right.
class FactList : public QWidget {
  Q_OBJECT
 public:
  struct Row {
    QString name;
    QString value;
    bool fixedFont = false;
  };
  explicit FactList(const Theme* theme, QWidget* parent = nullptr);
  void setRows(const std::vector<Row>& rows);

 private:
  const Theme* m_theme;
  QGridLayout* m_grid;
};

/// Icon, one bold line, one plain line, at most two buttons.
class EmptyState : public QWidget {
  Q_OBJECT
 public:
  EmptyState(const Theme* theme, const char* iconName, QWidget* parent = nullptr);
  void setTexts(const QString& title, const QString& text);
  ActionButton* addButton(const char* iconName, const QString& text, const QString& shortcut = {});
  /// It fills what room there is: the stacks that it mostly waits in need not break its lines to be laid out.
  bool hasHeightForWidth() const override { return false; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  const Theme* m_theme;
  Text* m_title;
  Text* m_text;
  QHBoxLayout* m_buttons;
};

/// A bar over a page: what is wrong or worth knowing, with what can be done.
class InfoBar : public QFrame {
  Q_OBJECT
 public:
  enum class Kind { Info, Warning, Error };
  explicit InfoBar(const Theme* theme, QWidget* parent = nullptr);
  void showMessage(Kind kind, const QString& bold, const QString& text);
  QPushButton* addButton(const QString& text);
  void clearButtons();

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  const Theme* m_theme;
  Kind m_kind = Kind::Info;
  IconLabel* m_icon;
  QLabel* m_label;
  QHBoxLayout* m_buttons;
};

}  // namespace opscope::ui
