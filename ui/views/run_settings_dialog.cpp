// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/run_settings_dialog.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QScrollBar>
#include <algorithm>

#include "ui/views/widgets/reveal.h"

namespace opscope::ui {
namespace {

constexpr double kWidth = 560;
constexpr double kHeight = 780;

/// Rows of the choices, as the fields list them.
constexpr profile::OverheadCheck kOverheads[] = {profile::OverheadCheck::Auto, profile::OverheadCheck::Off,
                                                 profile::OverheadCheck::Full};
constexpr runtime::AllocatorKind kAllocators[] = {runtime::AllocatorKind::Pooled,
                                                  runtime::AllocatorKind::Naive};

template <class Value, std::size_t N>
int rowOf(const Value (&values)[N], Value value) {
  for (std::size_t i = 0; i < N; ++i) {
    if (values[i] == value) return int(i);
  }
  return 0;
}

}  // namespace

RunSettingsDialog::RunSettingsDialog(const Theme* theme, const QString& file, const RunOptions& options,
                                     const QString& missing, const Place& place, QWidget* parent)
    : QDialog(parent), m_theme(theme), m_place(place) {
  setWindowTitle(QStringLiteral("Run settings of %1").arg(file));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setFocusPolicy(Qt::NoFocus);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  QWidget* content = buildContent(missing, options.counters);
  scroll->setWidget(content);
  layout->addWidget(scroll, 1);
  // Words that come a moment later may move what the keyboard is at.
  connect(
      scroll->verticalScrollBar(), &QScrollBar::rangeChanged, this,
      [this]() {
        if (QWidget* focus = focusWidget(); focus != nullptr && focus->hasFocus())
          revealInScrollAreas(focus, focus->rect());
      },
      Qt::QueuedConnection);
  layout->addLayout(buildFoot());
  setOptions(options);
  refresh();
  const QSize most =
      parent != nullptr ? parent->size() - QSize(theme->px(24), theme->px(24)) : QSize(4000, 4000);
  resize(QSize(theme->px(kWidth), theme->px(kHeight)).boundedTo(most));
  scroll->setMinimumWidth(std::min(
      content->minimumSizeHint().width() + scroll->verticalScrollBar()->sizeHint().width(), most.width()));
}

QWidget* RunSettingsDialog::buildContent(const QString& missing, const QStringList& counters) {
  auto* content = new QWidget;
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(m_theme->px(18), m_theme->px(16), m_theme->px(18), m_theme->px(8));
  layout->setSpacing(m_theme->px(8));
  buildThreads(layout);
  buildMemory(layout);
  buildMeasuring(layout, counters);
  buildWaiting(layout);
  buildPlugins(layout, missing);
  layout->addStretch(1);
  return content;
}

QLayout* RunSettingsDialog::buildFoot() {
  auto* foot = new QHBoxLayout;
  foot->setContentsMargins(m_theme->px(18), m_theme->px(10), m_theme->px(18), m_theme->px(14));
  foot->setSpacing(m_theme->px(8));
  foot->addStretch(1);
  auto* keep = new ActionButton(m_theme, nullptr, QStringLiteral("Keep"));
  keep->setPrimary(true);
  keep->setDefault(true);
  keep->setToolTip(QStringLiteral("The next runs of this executable take these settings"));
  auto* cancel = new ActionButton(m_theme, nullptr, QStringLiteral("Cancel"));
  foot->addWidget(keep);
  foot->addWidget(cancel);
  connect(keep, &QPushButton::clicked, this, &QDialog::accept);
  connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
  return foot;
}

void RunSettingsDialog::focusPlugins() {
  m_add->setFocus(Qt::OtherFocusReason);
}

void RunSettingsDialog::setCounters(const session::CounterList& list) {
  m_counters->setList(list, !m_place.board.isEmpty());
}

void RunSettingsDialog::setOptions(const RunOptions& options) {
  m_threads->setValue(options.threads);
  m_pin->setChecked(options.pin);
  m_spin->setValue(options.spinUs);
  m_allocator->setCurrentIndex(rowOf(kAllocators, options.allocator));
  m_overhead->setCurrentIndex(rowOf(kOverheads, options.overhead));
  m_timeout->setValue(options.timeoutSeconds);
  addPlugins(options.plugins);
  m_plugins->setCurrentRow(-1);
}

RunOptions RunSettingsDialog::options() const {
  RunOptions options;
  options.threads = m_threads->value();
  options.pin = m_pin->isChecked();
  options.spinUs = m_spin->value();
  options.allocator = kAllocators[std::max(0, m_allocator->currentIndex())];
  options.overhead = kOverheads[std::max(0, m_overhead->currentIndex())];
  options.counters = m_counters->chosen();
  options.timeoutSeconds = m_timeout->value();
  for (int i = 0; i < m_plugins->count(); ++i) options.plugins << m_plugins->item(i)->text();
  return options;
}

void RunSettingsDialog::addPlugins(const QStringList& files) {
  for (const QString& file : files) {
    const QString full = QFileInfo(file).absoluteFilePath();
    if (!m_plugins->findItems(full, Qt::MatchExactly).isEmpty()) continue;
    auto* item = new QListWidgetItem(full, m_plugins);
    item->setToolTip(full);
  }
  refresh();
}

void RunSettingsDialog::removeChosen() {
  qDeleteAll(m_plugins->selectedItems());
  refresh();
  // Without a row the list itself has the keyboard.
  if (m_plugins->hasFocus()) revealInScrollAreas(m_plugins, m_plugins->rect());
}

void RunSettingsDialog::refresh() {
  m_remove->setEnabled(!m_plugins->selectedItems().isEmpty());
}

}  // namespace opscope::ui
