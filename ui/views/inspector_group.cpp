// SPDX-License-Identifier: GPL-3.0-or-later
// The Inspector's view of a group of ops: a coarse row of Ops.
#include "ui/models/format.h"
#include "ui/views/inspector.h"

namespace opscope::ui {
namespace {

constexpr std::size_t kMembersAtFirst = 12;
constexpr std::size_t kMembersAtMost = 200;

/// A link that is cut in the middle when there is no room.
class NameLink : public LinkButton {
 public:
  NameLink(const Theme* theme, const QString& name) : LinkButton(theme, name), m_theme(theme), m_name(name) {
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  }

 protected:
  void resizeEvent(QResizeEvent*) override {
    setText(QFontMetrics(m_theme->font(12)).elidedText(m_name, Qt::ElideMiddle, width() - 4));
  }

 private:
  const Theme* m_theme;
  QString m_name;
};

}  // namespace

void Inspector::setGroup(std::shared_ptr<const OpGroup> group) {
  if (m_group == group) return;
  m_group = std::move(group);
  m_allMembers = false;
  refreshLater();
}

void Inspector::addGroup(const OpGroup& group) {
  addName(group.title, group.kind);
  auto* facts = plainText(m_theme,
                          QStringLiteral("%1: %2 of %3")
                              .arg(group.words, format::counted(group.calls, "call", "calls"),
                                   format::counted(qint64(group.members.size()), "op", "ops")),
                          12, &Colours::textSecondary);
  facts->setWordWrap(true);
  m_layout->addWidget(facts);
  addDuration(group.us, group.percent, group.wholeUs);
  addSection(QStringLiteral("Ops by time"), QStringLiteral("calls · µs"));
  const std::size_t shown = std::min(group.members.size(), m_allMembers ? kMembersAtMost : kMembersAtFirst);
  for (std::size_t i = 0; i < shown; ++i) addMember(group.members[i]);
  addMore(group.members.size() - shown, &m_allMembers, QStringLiteral("and %1 more: unfold the row in Ops."));
}

void Inspector::addMember(const OpGroup::Member& member) {
  auto* row = new QHBoxLayout;
  row->setSpacing(m_theme->px(8));
  auto* link = new NameLink(m_theme, member.name);
  link->setToolTip(member.shapes.isEmpty() ? member.name : member.name + QLatin1Char('\n') + member.shapes);
  link->setAccessibleName(
      QStringLiteral("%1, %2, %3 µs")
          .arg(member.name, format::counted(member.calls, "call", "calls"), format::microseconds(member.us)));
  connect(link, &QAbstractButton::clicked, this, [this, op = member.op]() {
    m_group.reset();
    m_selection->setOp(op);
    refreshLater();
  });
  row->addWidget(link, 1);
  auto* calls = plainText(m_theme, format::integer(member.calls), 12, &Colours::textSecondary);
  calls->setAlignment(Qt::AlignRight);
  row->addWidget(calls);
  auto* us = plainText(m_theme, format::microseconds(member.us), 12, &Colours::text);
  us->setAlignment(Qt::AlignRight);
  us->setMinimumWidth(m_theme->px(64));
  row->addWidget(us);
  m_layout->addLayout(row);
}

}  // namespace opscope::ui
