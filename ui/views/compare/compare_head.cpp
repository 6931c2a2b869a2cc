// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/compare/compare_head.h"

#include <QAbstractItemView>
#include <QPainter>
#include <QSignalBlocker>
#include <QStyle>
#include <QStyleOption>
#include <algorithm>

#include "ui/models/format.h"
#include "ui/views/compare/verdict_look.h"
#include "ui/views/widgets/brief_combo.h"

namespace opscope::ui {
namespace {

constexpr int kListWidth = 420;
/// From here on both fields and all words have room.
constexpr int kAmpleWidth = 1000;

}  // namespace

CompareHead::CompareHead(const Theme* theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(theme->px(12), theme->px(8), theme->px(12), theme->px(8));
  row->setSpacing(theme->px(16));
  m_sides[0] = addSide(row, QStringLiteral("Old"), false);
  row->addWidget(new IconLabel(lookIcon(theme, "chevron-right", IconInk::Text), theme->px(16)));
  m_sides[1] = addSide(row, QStringLiteral("New"), true);
  row->addWidget(new Hairline(theme, Qt::Vertical));
  const auto column = [&](const QString& title) {
    auto* box = new QVBoxLayout;
    box->setSpacing(theme->px(2));
    auto* name = new Text(theme, 12, &Colours::textSecondary, QFont::DemiBold);
    name->setText(title);
    box->addWidget(name);
    row->addLayout(box);
    return box;
  };
  auto* totals = column(QStringLiteral("Total, median"));
  auto* numbers = new QHBoxLayout;
  numbers->setSpacing(theme->px(6));
  m_total = new Text(theme, 20, &Colours::text, QFont::DemiBold);
  m_unit = new Text(theme, 13, &Colours::textSecondary);
  numbers->addWidget(m_total);
  m_unit->setContentsMargins(0, 0, 0, baseLineGap(*theme, 20, 13));
  numbers->addWidget(m_unit, 0, Qt::AlignBottom);
  numbers->addStretch(1);
  totals->addLayout(numbers);
  m_interval = new Text(theme, 12, &Colours::textSecondary);
  totals->addWidget(m_interval);
  totals->addStretch(1);
  row->addSpacing(theme->px(16));
  auto* verdict = column(QStringLiteral("Verdict"));
  m_verdict = new Text(theme, 20, &Colours::text, QFont::DemiBold);
  m_verdictWords = new Text(theme, 12, &Colours::text);
  verdict->addWidget(m_verdict);
  verdict->addWidget(m_verdictWords);
  verdict->addStretch(1);
  row->addStretch(1);
  setFixedHeight(theme->px(82));
  connect(theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

CompareHead::Side CompareHead::addSide(QHBoxLayout* row, const QString& title, bool isNew) {
  auto* box = new QVBoxLayout;
  box->setSpacing(m_theme->px(3));
  auto* name = new Text(m_theme, 12, &Colours::textSecondary, QFont::DemiBold);
  name->setText(title);
  Side side{new BriefCombo,
            new ElidedText(m_theme, 12, &Colours::textSecondary, QFont::Normal, Qt::ElideRight)};
  side.choice->setAccessibleName(QStringLiteral("%1 run").arg(title));
  side.choice->setMinimumWidth(m_theme->px(160));
  side.choice->setMaximumWidth(m_theme->px(440));
  side.choice->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  side.choice->view()->setMinimumWidth(m_theme->px(kListWidth));
  connect(side.choice, &QComboBox::activated, this, [this, isNew](int line) { take(isNew, line); });
  box->addWidget(name);
  box->addWidget(side.choice);
  box->addWidget(side.detail);
  box->addStretch(1);
  row->addLayout(box, 100);
  return side;
}

void CompareHead::setChoices(const std::vector<CompareOption>& options, const CompareChoice& before,
                             const CompareChoice& after) {
  m_options = options;
  m_chosen[0] = before;
  m_chosen[1] = after;
  for (int i = 0; i < 2; ++i) {
    QComboBox* combo = m_sides[i].choice;
    const QSignalBlocker block(combo);
    combo->clear();
    int chosen = -1;
    for (const CompareOption& option : options) {
      if (option.choice == m_chosen[i]) chosen = combo->count();
      combo->addItem(option.text);
      combo->setItemData(combo->count() - 1, option.text, Qt::ToolTipRole);
      combo->setItemData(combo->count() - 1, option.brief, BriefCombo::BriefRole);
    }
    if (m_chosen[i].kind == CompareChoice::Kind::File) {
      chosen = combo->count();
      combo->addItem(m_chosen[i].file.section(QLatin1Char('/'), -1));
    }
    combo->addItem(QStringLiteral("Choose a file…"));
    combo->setCurrentIndex(chosen);
    const QString hint = QStringLiteral("Choose the %1 run").arg(QLatin1String(i == 0 ? "old" : "new"));
    combo->setToolTip(chosen < 0 ? hint : combo->currentText() + QLatin1Char('\n') + hint);
  }
}

void CompareHead::take(bool isNew, int line) {
  QComboBox* combo = m_sides[isNew ? 1 : 0].choice;
  if (line < int(m_options.size())) {
    Q_EMIT choiceMade(isNew, m_options[std::size_t(line)].choice);
  } else if (line == combo->count() - 1) {
    setChoices(std::vector<CompareOption>(m_options), m_chosen[0], m_chosen[1]);
    Q_EMIT fileRequested(isNew);
  }
}

void CompareHead::setComparison(const CompareView* view) {
  m_sides[0].detail->setText(view != nullptr ? view->a.detail : QString());
  m_sides[1].detail->setText(view != nullptr ? view->b.detail : QString());
  if (view == nullptr) {
    // What was compared before is no longer chosen above.
    for (Text* text : {m_total, m_unit, m_interval, m_verdict, m_verdictWords}) text->clear();
    m_interval->setToolTip({});
    return;
  }
  const report::ComparedOp& total = view->comparison->total;
  const double before = total.a ? total.a->valueUs : 0, after = total.b ? total.b->valueUs : 0;
  const double largest = std::max(before, after);
  const double unit = largest < 1e3 ? 1 : largest < 1e7 ? 1e3 : 1e6;
  const auto number = [&](double us) {
    return us > 0 ? format::fixed(us / unit, us / unit < 10 ? 2 : 1) : format::missing();
  };
  m_total->setText(QStringLiteral("%1 → %2").arg(number(before), number(after)));
  m_unit->setText(QString::fromUtf8(unit < 10 ? "µs" : unit < 1e4 ? "ms" : "s"));
  m_intervalText = total.ratioLow ? intervalText(total) : QString();
  showInterval();
  QColor Colours::*ink = total.verdict == report::Verdict::Faster     ? &Colours::faster
                         : total.verdict == report::Verdict::Slower   ? &Colours::slower
                         : total.verdict == report::Verdict::TooNoisy ? &Colours::noisy
                                                                      : &Colours::text;
  m_verdict->setColour(ink);
  m_verdictWords->setColour(ink);
  m_verdict->setText(verdictGlyph(total.verdict) + QLatin1Char(' ') + changeText(total.ratio));
  m_verdictWords->setText(verdictText(total.verdict));
}

/// In a narrow window the fields of the runs need the room.
void CompareHead::showInterval() {
  const bool ample = width() >= m_theme->px(kAmpleWidth);
  m_interval->setText(m_intervalText.isEmpty() ? QStringLiteral("one value each, no interval")
                      : ample ? QStringLiteral("95 % interval of the ratio: %1").arg(m_intervalText)
                              : QStringLiteral("ratio %1").arg(m_intervalText));
  m_interval->setToolTip(m_intervalText.isEmpty() ? QString()
                                                  : QStringLiteral("95 % interval of the ratio, new / old"));
}

void CompareHead::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  if (!m_interval->text().isEmpty()) showInterval();
}

void CompareHead::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), m_theme->colours().base);
  painter.fillRect(QRect(0, height() - 1, width(), 1), m_theme->colours().line);
}

VerdictChip::VerdictChip(const Theme* theme, report::Verdict verdict, QWidget* parent)
    : QAbstractButton(parent), m_theme(theme), m_verdict(verdict) {
  setCheckable(true);
  setFocusPolicy(Qt::StrongFocus);
  setAttribute(Qt::WA_Hover);
  setFixedHeight(theme->px(22));
  setCount(0);
  setToolTip(QStringLiteral("Show only ops that are %1").arg(verdictText(verdict)));
}

void VerdictChip::setCount(std::size_t count) {
  m_count = count;
  setAccessibleName(QStringLiteral("%1 %2").arg(count).arg(verdictText(m_verdict)));
  updateGeometry();
  update();
}

QString VerdictChip::words() const {
  return verdictGlyph(m_verdict) + QLatin1Char(' ') + verdictText(m_verdict);
}

QSize VerdictChip::sizeHint() const {
  const QFontMetrics bold(m_theme->font(12, QFont::DemiBold)), plain(m_theme->font(12));
  return {bold.horizontalAdvance(words()) + plain.horizontalAdvance(format::integer(qint64(m_count))) +
              m_theme->px(22),
          m_theme->px(22)};
}

void VerdictChip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Colours& c = m_theme->colours();
  const bool active = isChecked();
  painter.setPen(QPen(active ? c.accent : c.controlBorder, 1));
  painter.setBrush(active ? c.selection : underMouse() && isEnabled() ? c.hover : c.window);
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), m_theme->px(3), m_theme->px(3));
  const QRect inner = rect().adjusted(m_theme->px(8), 0, -m_theme->px(8), 0);
  painter.setFont(m_theme->font(12, QFont::DemiBold));
  const bool quiet = m_count == 0 && !active;
  const bool onSelection = active && m_theme->isHighContrast();
  painter.setPen(onSelection ? c.onSelection : quiet ? c.textSecondary : verdictInk(*m_theme, m_verdict));
  painter.drawText(inner, Qt::AlignVCenter | Qt::AlignLeft, words());
  painter.setFont(m_theme->font(12));
  painter.setPen(active ? c.onSelection : quiet ? c.textSecondary : c.text);
  painter.drawText(inner, Qt::AlignVCenter | Qt::AlignRight, format::integer(qint64(m_count)));
  if (!hasFocus()) return;
  QStyleOptionFocusRect option;
  option.initFrom(this);
  style()->drawPrimitive(QStyle::PE_FrameFocusRect, &option, &painter, this);
}

}  // namespace opscope::ui
