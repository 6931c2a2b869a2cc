// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/text_size.h"

#include <QApplication>
#include <QBoxLayout>
#include <QDockWidget>
#include <QFontInfo>
#include <QGridLayout>
#include <QHeaderView>
#include <QPointer>
#include <QTreeView>
#include <QVariant>
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "ui/views/look/theme.h"

namespace opscope::ui {
namespace {

struct TextSize {
  QFont usual;
  int percent = kUsualTextSize;
};

/// There is one font of an application.
TextSize& current() {
  static TextSize size;
  return size;
}

/// One length of a widget or a layout. It was read before the font changed and is set after.
struct Length {
  QPointer<QObject> owner;
  QByteArray name;
  int value;
  std::function<void(int)> set;
};

using Lengths = std::vector<Length>;

/// Whole pixels lose a part at each change. What a length is at 100 % is kept beside it, and holds as long as
/// nobody else set the length.
int scaled(const Length& length, double before, double now) {
  const QByteArray key = "opscopeLength-" + length.name;
  const QVariantList kept = length.owner->property(key.constData()).toList();
  const bool holds = kept.size() == 2 && kept[1].toInt() == length.value;
  const double usual = holds ? kept[0].toDouble() : length.value / before;
  const int value = std::max(1, int(std::lround(usual * now)));
  length.owner->setProperty(key.constData(), QVariantList{usual, value});
  return value;
}

class Reader {
 public:
  Lengths take() { return std::move(m_lengths); }
  void readWidget(QWidget* widget) {
    // What the user sized stays as it is, and a dock has the limits of its layout.
    if (!widget->isWindow() && qobject_cast<QDockWidget*>(widget) == nullptr) readLimits(widget);
    if (widget->testAttribute(Qt::WA_SetFont) && widget->font().pixelSize() > 0) {
      add(widget, "font", widget->font().pixelSize(), [widget](int size) {
        QFont font = widget->font();
        font.setPixelSize(size);
        widget->setFont(font);
      });
    }
    if (auto* tree = qobject_cast<QTreeView*>(widget))
      add(tree, "indentation", tree->indentation(), [tree](int value) { tree->setIndentation(value); });
    if (auto* header = qobject_cast<QHeaderView*>(widget)) readHeader(header);
    if (widget->layout() != nullptr) readLayout(widget->layout());
  }

 private:
  void add(QObject* owner, const QByteArray& name, int value, std::function<void(int)> set) {
    if (value > 0) m_lengths.push_back({owner, name, value, std::move(set)});
  }

  void readLimits(QWidget* widget) {
    add(widget, "leastWidth", widget->minimumWidth(),
        [widget](int value) { widget->setMinimumWidth(value); });
    add(widget, "leastHeight", widget->minimumHeight(),
        [widget](int value) { widget->setMinimumHeight(value); });
    if (widget->maximumWidth() < QWIDGETSIZE_MAX)
      add(widget, "mostWidth", widget->maximumWidth(),
          [widget](int value) { widget->setMaximumWidth(value); });
    if (widget->maximumHeight() < QWIDGETSIZE_MAX)
      add(widget, "mostHeight", widget->maximumHeight(),
          [widget](int value) { widget->setMaximumHeight(value); });
  }

  void readHeader(QHeaderView* header) {
    add(header, "leastSection", header->minimumSectionSize(),
        [header](int value) { header->setMinimumSectionSize(value); });
    add(header, "section", header->defaultSectionSize(),
        [header](int value) { header->setDefaultSectionSize(value); });
    // A row header may have a million rows of the default height.
    if (header->orientation() != Qt::Horizontal) return;
    for (int i = 0; i < header->count(); ++i) {
      if (header->isSectionHidden(i)) continue;
      add(header, "section" + QByteArray::number(i), header->sectionSize(i), [header, i](int value) {
        if (i < header->count()) header->resizeSection(i, value);
      });
    }
  }

  void readMargins(QLayout* layout) {
    const QMargins margins = layout->contentsMargins();
    const std::pair<const char*, int> sides[] = {{"left", margins.left()},
                                                 {"top", margins.top()},
                                                 {"right", margins.right()},
                                                 {"bottom", margins.bottom()}};
    for (const auto& [side, value] : sides) {
      add(layout, side, value, [layout, side = QByteArray(side)](int length) {
        QMargins changed = layout->contentsMargins();
        if (side == "left") changed.setLeft(length);
        if (side == "top") changed.setTop(length);
        if (side == "right") changed.setRight(length);
        if (side == "bottom") changed.setBottom(length);
        layout->setContentsMargins(changed);
      });
    }
  }

  void readSpacer(QLayout* layout, int position, QSpacerItem* spacer) {
    const QSize size = spacer->sizeHint();
    const bool across = size.width() > 0;
    if (across && size.height() > 0) return;
    add(layout, "spacer" + QByteArray::number(position), across ? size.width() : size.height(),
        [layout, spacer, across](int value) {
          const QSizePolicy policy = spacer->sizePolicy();
          spacer->changeSize(across ? value : 0, across ? 0 : value, policy.horizontalPolicy(),
                             policy.verticalPolicy());
          layout->invalidate();
        });
  }

  void readLayout(QLayout* layout) {
    readMargins(layout);
    if (auto* grid = qobject_cast<QGridLayout*>(layout)) {
      add(grid, "across", grid->horizontalSpacing(),
          [grid](int value) { grid->setHorizontalSpacing(value); });
      add(grid, "down", grid->verticalSpacing(), [grid](int value) { grid->setVerticalSpacing(value); });
      for (int i = 0; i < grid->columnCount(); ++i)
        add(grid, "column" + QByteArray::number(i), grid->columnMinimumWidth(i),
            [grid, i](int value) { grid->setColumnMinimumWidth(i, value); });
    } else if (qobject_cast<QBoxLayout*>(layout) != nullptr) {
      add(layout, "spacing", layout->spacing(), [layout](int value) { layout->setSpacing(value); });
    }
    for (int i = 0; i < layout->count(); ++i) {
      QLayoutItem* item = layout->itemAt(i);
      if (item->layout() != nullptr) readLayout(item->layout());
      if (item->spacerItem() != nullptr) readSpacer(layout, i, item->spacerItem());
    }
  }

  Lengths m_lengths;
};

}  // namespace

int nearestTextSize(int percent) {
  return *std::min_element(kTextSizes.begin(), kTextSizes.end(),
                           [percent](int a, int b) { return std::abs(a - percent) < std::abs(b - percent); });
}

int steppedTextSize(int percent, int by) {
  const auto at = std::find(kTextSizes.begin(), kTextSizes.end(), nearestTextSize(percent));
  const int position = int(at - kTextSizes.begin()) + by;
  return kTextSizes[std::size_t(std::clamp(position, 0, int(kTextSizes.size()) - 1))];
}

int textSize() {
  return current().percent;
}

void setUsualFont(const QFont& font) {
  current() = {font, kUsualTextSize};
}

void setTextSize(int percent) {
  const double before = textScale();
  Reader reader;
  for (QWidget* widget : QApplication::allWidgets()) reader.readWidget(widget);
  const Lengths lengths = reader.take();
  current().percent = percent;
  QFont font = current().usual;
  // The platform's own size may be none in whole pixels.
  if (percent != kUsualTextSize)
    font.setPixelSize(std::max(1, int(std::lround(QFontInfo(font).pixelSize() * percent / 100.0))));
  QApplication::setFont(font);
  for (const Length& length : lengths) {
    if (!length.owner.isNull()) length.set(scaled(length, before, textScale()));
  }
}

}  // namespace opscope::ui
