// SPDX-License-Identifier: GPL-3.0-or-later
// How the Code page gets from one instruction to another: by the selection, by searching, by time, by jumps.
#include <QSignalBlocker>
#include <algorithm>

#include "ui/views/code_page.h"

namespace opscope::ui {

std::optional<std::uint64_t> CodePage::chosenInstruction() const {
  const int row = m_table->currentIndex().row();
  if (m_model->function() == nullptr || row < 0 || row >= m_model->rowCount()) return std::nullopt;
  return m_model->instructionAt(row);
}

void CodePage::showSelection(bool here) {
  if (m_showing || !m_code || m_model->function() == nullptr) return;
  if (m_model->function()->isCompiled) {
    showMachine(-1);
    return;
  }
  const Selection& selection = *context().selection;
  if (!run() || selection.op().isNull() || !m_times || m_times->entries.empty()) return;
  const auto& calls = run()->run().calls;
  const auto fits = [&](std::uint64_t instruction) {
    return !here || m_code->functionOf(instruction) == m_model->function();
  };
  if (selection.call() && *selection.call() < calls.size()) {
    const std::uint64_t instruction = calls[*selection.call()].instruction;
    if (fits(instruction)) {
      showInstruction(instruction);
      return;
    }
  }
  // An op is called in several places: the one that is shown stays, else the longest.
  const auto isOfOp = [&](const CodeTimes::Entry& entry) {
    return entry.firstCall < calls.size() && opOf(calls[entry.firstCall]) == selection.op();
  };
  if (const auto chosen = chosenInstruction()) {
    const CodeTimes::Entry* entry = m_times->at(*chosen);
    if (entry != nullptr && isOfOp(*entry)) return;
  }
  std::optional<std::uint64_t> longest;
  for (std::uint64_t i = 0; i < m_times->entries.size(); ++i) {
    const CodeTimes::Entry& entry = m_times->entries[i];
    if (entry.calls > 0 && isOfOp(entry) && fits(i) && (!longest || entry.us > m_times->entries[*longest].us))
      longest = i;
  }
  if (longest) showInstruction(*longest);
}

void CodePage::showInstruction(std::uint64_t instruction) {
  if (!m_code) {
    m_wanted = instruction;
    return;
  }
  const session::CodeFunction* function = m_code->functionOf(instruction);
  if (function == nullptr) return;
  m_showing = true;
  if (function != m_model->function()) {
    m_model->setCode(m_code, function);
    const QSignalBlocker block(m_functions);
    m_functions->setCurrentIndex(int(function - m_code->functions.data()));
    m_listing->setCurrentIndex(0);
    showHead();
  }
  if (m_model->rowOf(instruction) < 0) {
    const QSignalBlocker block(m_hide);
    m_hide->setChecked(false);
    m_model->setHidesHousekeeping(false);
  }
  m_showing = false;
  goTo(m_model->rowOf(instruction));
}

void CodePage::showKernel(const QString& name) {
  if (!m_code) {
    m_wantedKernel = name;
    return;
  }
  m_machine->setTime({});
  m_machine->showKernel(name, {});
}

void CodePage::goTo(int row) {
  if (row < 0) return;
  m_showing = true;
  m_table->setCurrentIndex(m_model->index(row, CodeModel::Calls));
  m_table->scrollTo(m_model->index(row, 0), QAbstractItemView::PositionAtCenter);
  m_showing = false;
  showRow();
  showMachine(row);
}

void CodePage::find(bool next, bool backwards) {
  const QString text = m_search->text();
  m_search->setCount(m_model->countOf(text));
  const int current = std::max(0, m_table->currentIndex().row());
  const int row = m_model->find(text, next ? current + (backwards ? -1 : 1) : current, backwards);
  if (row < 0) return;
  goTo(row);
  takeRow();
}

void CodePage::showHottest(int by) {
  const std::vector<int> rows = m_model->hottest();
  if (rows.empty()) return;
  const auto place = std::find(rows.begin(), rows.end(), m_table->currentIndex().row());
  const std::size_t now = place == rows.end() ? 0 : std::size_t(place - rows.begin()) + std::size_t(by);
  goTo(rows[by == 0 || place == rows.end() ? 0 : now % rows.size()]);
  takeRow();
}

void CodePage::follow(int row) {
  const session::CodeLine& line = m_model->lineAt(row);
  if (line.target >= 0) {
    showInstruction(std::uint64_t(line.target));
  } else if (line.callee == session::CodeLine::Callee::Function) {
    if (const session::CodeFunction* callee = m_code->find(line.name)) showFunction(callee);
  }
}

}  // namespace opscope::ui
