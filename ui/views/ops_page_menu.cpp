// SPDX-License-Identifier: GPL-3.0-or-later
// The menu of a row of Ops.
#include <QClipboard>
#include <QGuiApplication>

#include "ui/views/ops_page.h"

namespace opscope::ui {

void OpsPage::showRowMenu(const QPoint& place) {
  // The key of menus asks for the row that is chosen.
  const QModelIndex at = m_table->indexAt(place);
  const QModelIndex current = at.isValid() ? at : m_table->currentIndex();
  if (!current.isValid() || m_model->opsData() == nullptr) return;
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  fillRowMenu(menu, current.row());
  const QPoint below = m_table->visualRect(current).bottomLeft();
  menu->popup(m_table->viewport()->mapToGlobal(at.isValid() ? place : below));
}

void OpsPage::fillRowMenu(QMenu* menu, int row) {
  const QString name = m_model->index(row, 0).data().toString();
  menu->addAction(QStringLiteral("Copy the rows\tCtrl+C"), this,
                  [this]() { m_table->copyRows(TextFormat::TabSeparated); });
  menu->addAction(QStringLiteral("Copy the rows as Markdown\tCtrl+Shift+C"), this,
                  [this]() { m_table->copyRows(TextFormat::Markdown); });
  menu->addAction(QStringLiteral("Copy this cell"), this, [this]() { m_table->copyCell(); });
  menu->addAction(QStringLiteral("Copy the name"), this,
                  [name]() { QGuiApplication::clipboard()->setText(name); });
  menu->addSeparator();
  const QString coarse = m_model->filterOf(row);
  if (coarse.isEmpty()) {
    menu->addAction(QStringLiteral("Show on the Timeline\tReturn"), this,
                    [this, row]() { activateRow(row); });
    QAction* code =
        menu->addAction(QStringLiteral("Show in Code\tAlt+Return"), this, &OpsPage::codeRequested);
    code->setEnabled(run() != nullptr && !run()->run().executableHash.empty());
  } else {
    menu->addAction(QStringLiteral("Show its ops alone\tReturn"), this, [this, row]() { activateRow(row); });
  }
  menu->addSeparator();
  const OpId op = m_model->opAt(row);
  const std::string& ofOp = m_model->opsData()->document.run->names[op.name];
  const QString filter = coarse.isEmpty() ? QStringLiteral("name:") + QString::fromStdString(ofOp) : coarse;
  menu->addAction(QStringLiteral("Filter by “%1”").arg(filter), this, [this, filter]() {
    context().selection->setFilter({filter, false});
  });
  if (m_model->foldOf(row) == Fold::Leaf) return;
  const bool folded = m_model->foldOf(row) == Fold::Folded;
  menu->addAction(folded ? QStringLiteral("Unfold\t+") : QStringLiteral("Fold\t-"), this,
                  [this, row, folded]() { m_model->setUnfolded(row, folded); });
}

}  // namespace opscope::ui
