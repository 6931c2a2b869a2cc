// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/run_settings_dialog.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QShortcut>

namespace opscope::ui {
namespace {

constexpr double kWidth = 520;
constexpr double kListHeight = 120;

}  // namespace

RunSettingsDialog::RunSettingsDialog(const Theme* theme, const QString& file, const RunOptions& options,
                                     const QString& missing, QWidget* parent)
    : QDialog(parent), m_theme(theme) {
  setWindowTitle(QStringLiteral("Run settings of %1").arg(file));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(theme->px(18), theme->px(16), theme->px(18), theme->px(14));
  layout->setSpacing(theme->px(8));
  buildThreads(layout);
  layout->addSpacing(theme->px(8));
  buildPlugins(layout, missing);
  layout->addSpacing(theme->px(4));
  auto* foot = new QHBoxLayout;
  foot->setSpacing(theme->px(8));
  foot->addStretch(1);
  auto* keep = new ActionButton(theme, nullptr, QStringLiteral("Keep"));
  keep->setPrimary(true);
  keep->setDefault(true);
  keep->setToolTip(QStringLiteral("The next runs of this executable take these settings"));
  auto* cancel = new ActionButton(theme, nullptr, QStringLiteral("Cancel"));
  foot->addWidget(keep);
  foot->addWidget(cancel);
  layout->addLayout(foot);
  connect(keep, &QPushButton::clicked, this, &QDialog::accept);
  connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
  m_threads->setValue(options.threads);
  addPlugins(options.plugins);
  m_plugins->setCurrentRow(-1);
  refresh();
  resize(theme->px(kWidth), sizeHint().height());
}

void RunSettingsDialog::buildThreads(QVBoxLayout* layout) {
  auto* row = new QHBoxLayout;
  row->setSpacing(m_theme->px(10));
  auto* label = plainText(m_theme, QStringLiteral("Threads"), 13, &Colours::text, QFont::DemiBold);
  m_threads = new QSpinBox;
  m_threads->setRange(0, kMostThreads);
  m_threads->setSpecialValueText(QStringLiteral("as usual"));
  m_threads->setAlignment(Qt::AlignRight);
  m_threads->setMinimumWidth(m_theme->px(96));
  m_threads->setAccessibleName(QStringLiteral("Threads for kernels"));
  m_threads->setToolTip(QStringLiteral("Threads that kernels share their work among; 0 is as usual"));
  label->setBuddy(m_threads);
  row->addWidget(label);
  row->addWidget(m_threads);
  row->addStretch(1);
  layout->addLayout(row);
  auto* note = plainText(
      m_theme, QStringLiteral("As usual: as TVM_NUM_THREADS says, else as many as there are physical cores."),
      12, &Colours::textSecondary);
  note->setWordWrap(true);
  layout->addWidget(note);
}

void RunSettingsDialog::buildPlugins(QVBoxLayout* layout, const QString& missing) {
  layout->addWidget(plainText(m_theme, QStringLiteral("Plugins"), 13, &Colours::text, QFont::DemiBold));
  auto* note = plainText(m_theme,
                         QStringLiteral("Libraries (.so) that register functions which the executable calls "
                                        "but does not hold. They are loaded before it, on this computer."),
                         12, &Colours::textSecondary);
  note->setWordWrap(true);
  layout->addWidget(note);
  if (!missing.isEmpty()) {
    auto* wanted = plainText(m_theme, missing, 12, &Colours::error);
    wanted->setWordWrap(true);
    layout->addWidget(wanted);
  }
  m_plugins = new QListWidget;
  m_plugins->setAccessibleName(QStringLiteral("Plugins"));
  m_plugins->setSelectionMode(QAbstractItemView::ExtendedSelection);
  m_plugins->setTextElideMode(Qt::ElideMiddle);
  m_plugins->setMinimumHeight(m_theme->px(kListHeight));
  layout->addWidget(m_plugins, 1);
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

void RunSettingsDialog::focusPlugins() {
  m_add->setFocus(Qt::OtherFocusReason);
}

RunOptions RunSettingsDialog::options() const {
  RunOptions options;
  options.threads = m_threads->value();
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
}

void RunSettingsDialog::refresh() {
  m_remove->setEnabled(!m_plugins->selectedItems().isEmpty());
}

}  // namespace opscope::ui
