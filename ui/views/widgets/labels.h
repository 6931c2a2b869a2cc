// SPDX-License-Identifier: GPL-3.0-or-later
// Small texts that follow the theme: labels by size and colour, a label cut in the middle, a link. GUI
// thread.
#pragma once

#include <QAbstractButton>
#include <QIcon>
#include <QLabel>

#include "ui/views/look/theme.h"

namespace opscope::ui {

/// A label with a size and colour of the look.
class Text : public QLabel {
  Q_OBJECT
 public:
  Text(const Theme* theme, double size, QColor Colours::*colour, QFont::Weight weight = QFont::Normal,
       QWidget* parent = nullptr);
  void setColour(QColor Colours::*colour);
  /// The fixed font, for shapes and code.
  void setFixedFont(bool fixed);

 private:
  void restyle();

  const Theme* m_theme;
  double m_size;
  QColor Colours::*m_colour;
  QFont::Weight m_weight;
  bool m_fixed = false;
};

/// A label with its words.
Text* plainText(const Theme* theme, const QString& words, double size, QColor Colours::*colour,
                QFont::Weight weight = QFont::Normal);

/// One line that is cut when there is no room; the tooltip has it whole.
class ElidedText : public QWidget {
  Q_OBJECT
 public:
  ElidedText(const Theme* theme, double size, QColor Colours::*colour, QFont::Weight weight = QFont::Normal,
             Qt::TextElideMode mode = Qt::ElideMiddle, QWidget* parent = nullptr);
  void setText(const QString& text);
  QString text() const { return m_text; }
  /// What of it there is room for.
  QString shownText() const;
  void setAlignment(Qt::Alignment alignment) { m_alignment = alignment; }
  void setColour(QColor Colours::*colour);
  void setFixedFont(bool fixed) { m_fixed = fixed; }
  /// Shown whole or not at all: for hints, of which a few letters help nobody.
  void setWholeOnly(bool whole) { m_wholeOnly = whole; }
  /// The text is a list: without room its last parts are left out whole, so that no number is cut.
  void setParts(const QString& separator) { m_separator = separator; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QFont textFont() const;
  const Theme* m_theme;
  double m_size;
  QColor Colours::*m_colour;
  QFont::Weight m_weight;
  Qt::TextElideMode m_mode;
  Qt::Alignment m_alignment = Qt::AlignLeft;
  bool m_fixed = false;
  bool m_wholeOnly = false;
  QString m_separator;  ///< of parts; empty: it is no list
  QString m_text;
};

/// A text that does something: accent colour, underlined when hovered.
class LinkButton : public QAbstractButton {
  Q_OBJECT
 public:
  LinkButton(const Theme* theme, const QString& text, QWidget* parent = nullptr);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  const Theme* m_theme;
};

/// An icon of the look as a label.
class IconLabel : public QWidget {
  Q_OBJECT
 public:
  IconLabel(const QIcon& icon, int size, QWidget* parent = nullptr);
  void setIcon(const QIcon& icon);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QIcon m_icon;
};

}  // namespace opscope::ui
