// SPDX-License-Identifier: GPL-3.0-or-later
// The fields of the run settings, group by group.
#include <QHBoxLayout>
#include <QShortcut>

#include "ui/views/run_settings_dialog.h"

namespace opscope::ui {
namespace {

constexpr double kListHeight = 76;
constexpr double kFieldWidth = 110;
constexpr double kLabelWidth = 170;

}  // namespace

void RunSettingsDialog::addTitle(QVBoxLayout* layout, const QString& words) {
  if (layout->count() > 0) layout->addSpacing(m_theme->px(8));
  layout->addWidget(plainText(m_theme, words, 13, &Colours::text, QFont::DemiBold));
}

Text* RunSettingsDialog::addNote(QVBoxLayout* layout, const QString& words) {
  auto* note = plainText(m_theme, words, 12, &Colours::textSecondary);
  note->setWordWrap(true);
  layout->addWidget(note);
  return note;
}

void RunSettingsDialog::addField(QVBoxLayout* layout, const QString& label, QWidget* field,
                                 const QString& unit) {
  auto* row = new QHBoxLayout;
  row->setSpacing(m_theme->px(10));
  auto* words = plainText(m_theme, label, 13, &Colours::text);
  words->setMinimumWidth(m_theme->px(kLabelWidth));
  words->setBuddy(field);
  field->setMinimumWidth(m_theme->px(kFieldWidth));
  row->addWidget(words);
  row->addWidget(field);
  if (!unit.isEmpty()) row->addWidget(plainText(m_theme, unit, 12, &Colours::textSecondary));
  row->addStretch(1);
  layout->addLayout(row);
}

void RunSettingsDialog::buildThreads(QVBoxLayout* layout) {
  addTitle(layout, QStringLiteral("Threads"));
  m_threads = new QSpinBox;
  m_threads->setRange(0, kMostThreads);
  m_threads->setSpecialValueText(QStringLiteral("as usual"));
  m_threads->setAlignment(Qt::AlignRight);
  m_threads->setAccessibleName(QStringLiteral("Threads for kernels"));
  m_threads->setToolTip(QStringLiteral("Threads that kernels share their work among; 0 is as usual"));
  addField(layout, QStringLiteral("&Threads for kernels"), m_threads);
  addNote(layout,
          QStringLiteral("As usual: as TVM_NUM_THREADS says, else as many as there are physical cores."));
  m_spin = new QSpinBox;
  m_spin->setRange(0, kMostSpinUs);
  m_spin->setAlignment(Qt::AlignRight);
  m_spin->setAccessibleName(QStringLiteral("Spin time"));
  m_spin->setToolTip(
      QStringLiteral("How long an idle thread spins before it sleeps, in µs; 0: it sleeps at once"));
  addField(layout, QStringLiteral("&Idle threads spin for"), m_spin, QStringLiteral("µs, then sleep"));
  m_pin = new QCheckBox(QStringLiteral("&Bind each thread to a core"));
  m_pin->setAccessibleName(QStringLiteral("Bind threads"));
  layout->addWidget(m_pin);
  if (!m_place.isTvmServer) return;
  for (QWidget* field : std::initializer_list<QWidget*>{m_spin, m_pin}) field->setEnabled(false);
  addNote(layout,
          QStringLiteral("%1 runs TVM's own server, which can be told neither how long threads spin nor to "
                         "bind them. Run opscope-server there for that.")
              .arg(m_place.board));
}

void RunSettingsDialog::buildMemory(QVBoxLayout* layout) {
  addTitle(layout, QStringLiteral("Memory"));
  m_allocator = new QComboBox;
  m_allocator->addItem(QStringLiteral("Pooled: kept and used again"));
  m_allocator->addItem(QStringLiteral("Naive: from the system each time"));
  m_allocator->setAccessibleName(QStringLiteral("Allocator"));
  addField(layout, QStringLiteral("Memory &of tensors"), m_allocator);
}

void RunSettingsDialog::buildMeasuring(QVBoxLayout* layout, const QStringList& counters) {
  addTitle(layout, QStringLiteral("Measuring"));
  m_overhead = new QComboBox;
  m_overhead->addItem(QStringLiteral("As time allows"));
  m_overhead->addItem(QStringLiteral("None"));
  m_overhead->addItem(QStringLiteral("One beside each repeat"));
  m_overhead->setAccessibleName(QStringLiteral("Runs without recording"));
  addField(layout, QStringLiteral("Runs &without recording"), m_overhead);
  addNote(layout, QStringLiteral("They tell what recording adds to the times. As time allows: at most 20 % "
                                 "more time, or a quarter of a second."));
  m_counters = new CounterChoice(m_theme, counters);
  layout->addWidget(m_counters);
  if (!m_place.isTvmServer) return;
  m_counters->setEnabled(false);
  addNote(layout, QStringLiteral("The server of %1 counts nothing.").arg(m_place.board));
}

void RunSettingsDialog::buildWaiting(QVBoxLayout* layout) {
  addTitle(layout, QStringLiteral("Boards"));
  m_timeout = new QSpinBox;
  m_timeout->setRange(0, kMostTimeoutSeconds);
  m_timeout->setSpecialValueText(QStringLiteral("as usual"));
  m_timeout->setAlignment(Qt::AlignRight);
  m_timeout->setAccessibleName(QStringLiteral("Longest wait"));
  m_timeout->setToolTip(
      QStringLiteral("A run ends when a board gives no answer for so long; 0 is as usual: %1 s")
          .arg(kUsualTimeoutSeconds));
  addField(layout, QStringLiteral("&Longest wait for an answer"), m_timeout, QStringLiteral("s"));
}

void RunSettingsDialog::buildPlugins(QVBoxLayout* layout, const QString& missing) {
  addTitle(layout, QStringLiteral("Plugins"));
  auto* label = addNote(layout, QStringLiteral("Libraries (.so) that register functions which the "
                                               "executable calls but does not hold. They are loaded before "
                                               "it, on this computer."));
  if (!missing.isEmpty()) {
    auto* wanted = plainText(m_theme, missing, 12, &Colours::error);
    wanted->setWordWrap(true);
    layout->addWidget(wanted);
  }
  m_plugins = new QListWidget;
  m_plugins->setAccessibleName(QStringLiteral("Plugins"));
  label->setBuddy(m_plugins);
  m_plugins->setSelectionMode(QAbstractItemView::ExtendedSelection);
  m_plugins->setTextElideMode(Qt::ElideMiddle);
  m_plugins->setFixedHeight(m_theme->px(kListHeight));
  layout->addWidget(m_plugins);
  auto* row = new QHBoxLayout;
  row->setSpacing(m_theme->px(8));
  m_add = new ActionButton(m_theme, "open", QStringLiteral("Add…"));
  m_add->setToolTip(QStringLiteral("Choose a library"));
  m_remove = new ActionButton(m_theme, nullptr, QStringLiteral("Remove"));
  m_remove->setToolTip(QStringLiteral("Take the chosen libraries out of the list (Del)"));
  row->addWidget(m_add);
  row->addWidget(m_remove);
  row->addStretch(1);
  layout->addLayout(row);
  connect(m_add, &QPushButton::clicked, this, &RunSettingsDialog::pluginsWanted);
  connect(m_remove, &QPushButton::clicked, this, &RunSettingsDialog::removeChosen);
  connect(m_plugins, &QListWidget::itemSelectionChanged, this, &RunSettingsDialog::refresh);
  auto* remove = new QShortcut(QKeySequence::Delete, m_plugins);
  remove->setContext(Qt::WidgetShortcut);
  connect(remove, &QShortcut::activated, this, &RunSettingsDialog::removeChosen);
}

}  // namespace opscope::ui
