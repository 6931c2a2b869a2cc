// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/store_bar.h"

#include "ui/models/format.h"

namespace opscope::ui {
StoreBar::StoreBar(const Theme* theme, RunStore* store, QWidget* parent)
    : InfoBar(theme, parent), m_store(store) {
  if (store == nullptr) return;
  connect(store, &RunStore::unsavedChanged, this, &StoreBar::refresh);
  connect(store, &RunStore::changeFailed, this, &StoreBar::showChangeFailed);
}

void StoreBar::refresh() {
  clearButtons();
  if (m_store->unsavedCount() == 0 || !m_store->saveProblem()) {
    hide();
    return;
  }
  const auto count = m_store->unsavedCount();
  showMessage(Kind::Error,
              count == 1 ? QStringLiteral("The run was not saved.")
                         : QStringLiteral("%1 runs were not saved.").arg(format::integer(qint64(count))),
              format::errorLines(*m_store->saveProblem()));
  connect(addButton(QStringLiteral("Try again")), &QPushButton::clicked, m_store, &RunStore::saveAgain,
          Qt::QueuedConnection);
  connect(addButton(QStringLiteral("Do not save")), &QPushButton::clicked, m_store, &RunStore::giveUpUnsaved,
          Qt::QueuedConnection);
}

void StoreBar::showChangeFailed(const base::Error& error) {
  if (m_store->unsavedCount() > 0) return;  // that bar is of more weight; the status bar has this one too
  clearButtons();
  showMessage(Kind::Error, QStringLiteral("The store of runs was not changed."), format::errorLines(error));
  connect(addButton(QStringLiteral("Close")), &QPushButton::clicked, this, &QWidget::hide,
          Qt::QueuedConnection);
}

}  // namespace opscope::ui
