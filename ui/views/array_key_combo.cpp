// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/array_key_combo.h"

#include <QAbstractItemView>
#include <QLineEdit>
#include <QPainter>
#include <QSignalBlocker>
#include <QStyledItemDelegate>

namespace opscope::ui {
namespace {

constexpr int kTypeRole = Qt::UserRole;

/// Key at the left, type and shape at the right.
class ArrayDelegate : public QStyledItemDelegate {
 public:
  ArrayDelegate(const Theme* theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme) {}

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const QFontMetrics metrics(m_theme->font(13)), quiet(m_theme->font(12));
    return {metrics.horizontalAdvance(index.data().toString()) +
                quiet.horizontalAdvance(index.data(kTypeRole).toString()) + m_theme->px(40),
            QStyledItemDelegate::sizeHint(option, index).height()};
  }

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QStyleOptionViewItem row = option;
    initStyleOption(&row, index);
    const QString key = row.text;
    row.text.clear();
    QStyledItemDelegate::paint(painter, row, QModelIndex());
    const Colours& c = m_theme->colours();
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    if (selected) painter->fillRect(option.rect, c.selection);
    QRect r = option.rect.adjusted(m_theme->px(8), 0, -m_theme->px(8), 0);
    const QString type = index.data(kTypeRole).toString();
    painter->setFont(m_theme->font(12));
    painter->setPen(selected ? c.onSelection : c.textSecondary);
    painter->drawText(r, Qt::AlignVCenter | Qt::AlignRight | Qt::TextSingleLine, type);
    r.setRight(r.right() - painter->fontMetrics().horizontalAdvance(type) - m_theme->px(12));
    painter->setFont(m_theme->font(13));
    painter->setPen(selected ? c.onSelection : c.text);
    painter->drawText(r, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine,
                      painter->fontMetrics().elidedText(key, Qt::ElideMiddle, r.width()));
  }

 private:
  const Theme* m_theme;
};

}  // namespace

ArrayKeyCombo::ArrayKeyCombo(const Theme* theme, QWidget* parent) : QComboBox(parent), m_theme(theme) {
  setEditable(true);
  setInsertPolicy(QComboBox::NoInsert);
  setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  setMinimumContentsLength(8);
  setItemDelegate(new ArrayDelegate(theme, this));
  lineEdit()->setPlaceholderText(QStringLiteral("name of the array"));
  connect(this, &QComboBox::textActivated, this, &ArrayKeyCombo::keyChosen);
  connect(lineEdit(), &QLineEdit::textEdited, this, &ArrayKeyCombo::keyChosen);
}

void ArrayKeyCombo::setArrays(const session::ArrayListing* listing) {
  const QSignalBlocker block(this);
  QStringList keys, types;
  for (std::size_t i = 0; listing != nullptr && i < listing->arrays.size(); ++i) {
    const session::ListedArray& array = listing->arrays[i];
    keys << QString::fromStdString(array.key);
    types << (array.problem ? QStringLiteral("cannot be read")
                            : QString::fromStdString(session::describeListed(array)));
  }
  bool same = keys.size() == count();
  for (int i = 0; same && i < count(); ++i)
    same = itemText(i) == keys[i] && itemData(i, kTypeRole).toString() == types[i];
  if (same) return;
  const QString typed = currentText();
  clear();
  for (int i = 0; i < keys.size(); ++i) {
    addItem(keys[i], types[i]);
    setItemData(i, QStringLiteral("%1 %2").arg(keys[i], types[i]), Qt::ToolTipRole);
    setItemData(i, QStringLiteral("%1, %2").arg(keys[i], types[i]), Qt::AccessibleTextRole);
  }
  setCurrentIndex(findText(typed));
  setEditText(typed);
}

void ArrayKeyCombo::setKey(const QString& key) {
  if (currentText() == key) return;
  const QSignalBlocker block(this);
  setCurrentIndex(findText(key));
  setEditText(key);
  lineEdit()->setCursorPosition(0);
  setToolTip(key);
}

void ArrayKeyCombo::showPopup() {
  // The field is narrow; the list has room for type and shape.
  view()->setMinimumWidth(std::max(width(), view()->sizeHintForColumn(0) + m_theme->px(24)));
  QComboBox::showPopup();
}

}  // namespace opscope::ui
