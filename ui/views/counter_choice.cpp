// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/counter_choice.h"

#include <QCompleter>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/models/format.h"
#include "ui/models/run_options.h"

namespace opscope::ui {
namespace {

constexpr double kListHeight = 116;

/// Completes the last of several names that commas part.
class NamesCompleter : public QCompleter {
 public:
  using QCompleter::QCompleter;
  QStringList splitPath(const QString& path) const override {
    return {path.section(QLatin1Char(','), -1).trimmed()};
  }
  QString pathFromIndex(const QModelIndex& index) const override {
    const QString text = static_cast<QLineEdit*>(widget())->text();
    const qsizetype comma = text.lastIndexOf(QLatin1Char(','));
    return (comma < 0 ? QString() : text.left(comma + 1) + QLatin1Char(' ')) +
           QCompleter::pathFromIndex(index);
  }
};

QString nameOf(const session::CounterInfo& event) {
  return format::fromUtf8(event.name);
}

}  // namespace

CounterChoice::CounterChoice(const Theme* theme, const QStringList& chosen, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_chosen(chosen) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(theme->px(6));
  auto* label = plainText(theme, QStringLiteral("&Counters by op"), 13, &Colours::text);
  layout->addWidget(label);
  m_list = new QListWidget;
  m_list->setAccessibleName(QStringLiteral("Counters"));
  m_list->setFixedHeight(theme->px(kListHeight));
  m_list->setUniformItemSizes(true);
  label->setBuddy(m_list);
  layout->addWidget(m_list);
  m_note = plainText(theme, QString(), 12, &Colours::textSecondary);
  m_note->setWordWrap(true);
  layout->addWidget(m_note);
  m_note->hide();
  auto* row = new QHBoxLayout;
  row->setSpacing(theme->px(10));
  auto* others = plainText(theme, QStringLiteral("Ot&her events"), 13, &Colours::text);
  m_others = new QLineEdit;
  m_others->setAccessibleName(QStringLiteral("Other events"));
  m_others->setToolTip(QStringLiteral("Names of the processor's own events, parted by commas"));
  others->setBuddy(m_others);
  row->addWidget(others);
  row->addWidget(m_others, 1);
  layout->addLayout(row);
}

void CounterChoice::setList(const session::CounterList& list, bool onBoard) {
  QStringList chosen = m_listed ? this->chosen() : m_chosen;
  m_listed = true;
  m_list->clear();
  for (const bool offered : {true, false}) {
    for (const session::CounterInfo& event : list.events) {
      if ((onBoard || !event.refusal) != offered) continue;
      addEvent(event, offered, chosen.contains(nameOf(event)));
    }
  }
  for (const session::CounterInfo& event : list.events) chosen.removeAll(nameOf(event));
  m_others->setText(chosen.join(QStringLiteral(", ")));
  QStringList own;
  for (const std::string& name : list.processorEvents) own << format::fromUtf8(name);
  auto* completer = new NamesCompleter(own, m_others);
  completer->setCaseSensitivity(Qt::CaseInsensitive);
  m_others->setCompleter(completer);
  m_others->setPlaceholderText(own.isEmpty() ? QString() : QStringLiteral("for example %1").arg(own.first()));
  if (onBoard) {
    m_note->setText(QStringLiteral("The board tells when the run begins which of them it can count."));
    m_note->show();
  } else {
    tellRefused(list);
  }
}

void CounterChoice::addEvent(const session::CounterInfo& event, bool offered, bool ticked) {
  auto* item = new QListWidgetItem(
      QStringLiteral("%1: %2").arg(nameOf(event), format::fromUtf8(event.description)), m_list);
  item->setData(Qt::UserRole, nameOf(event));
  item->setToolTip(item->text());
  // One that was chosen elsewhere can be taken back here.
  item->setFlags(offered || ticked ? Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable
                                   : Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
  item->setCheckState(ticked ? Qt::Checked : Qt::Unchecked);
  if (offered || !event.refusal) return;
  QString why = format::fromUtf8(event.refusal->message);
  if (!event.refusal->detail.empty()) why += QLatin1Char('\n') + format::fromUtf8(event.refusal->detail);
  item->setToolTip(item->text() + QLatin1Char('\n') + why);
}

void CounterChoice::tellRefused(const session::CounterList& list) {
  int refused = 0;
  QStringList reasons;
  for (const session::CounterInfo& event : list.events) {
    if (!event.refusal) continue;
    ++refused;
    // The message names the event; why and what would help are the same for many.
    for (const std::string& words : {event.refusal->detail, event.refusal->hint}) {
      const QString reason = QString::fromStdString(words);
      if (!reason.isEmpty() && !reasons.contains(reason)) reasons << reason;
    }
  }
  m_note->setVisible(refused > 0);
  const QString many =
      refused == int(list.events.size())
          ? QStringLiteral("Nothing can be counted here.")
          : QStringLiteral("%1 of %2 cannot be counted here.").arg(refused).arg(list.events.size());
  m_note->setText(many + QLatin1Char(' ') + reasons.mid(0, 4).join(QLatin1Char(' ')));
}

QStringList CounterChoice::chosen() const {
  if (!m_listed) return m_chosen;
  QStringList names;
  for (int i = 0; i < m_list->count(); ++i) {
    if (m_list->item(i)->checkState() == Qt::Checked) names << m_list->item(i)->data(Qt::UserRole).toString();
  }
  names << counterNames(m_others->text());
  names.removeDuplicates();
  return names;
}

}  // namespace opscope::ui
