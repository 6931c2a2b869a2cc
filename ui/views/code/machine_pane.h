// SPDX-License-Identifier: GPL-3.0-or-later
// The machine code of the kernel that is chosen: its functions, searchable, with jumps. Read in the
// background; what was read is kept. GUI thread.
#pragma once

#include <QComboBox>
#include <QStackedWidget>
#include <map>

#include "ui/bridge/background.h"
#include "ui/models/disassembly_model.h"
#include "ui/views/code/search_bar.h"
#include "ui/views/widgets/data_table.h"
#include "ui/views/widgets/panels.h"

namespace opscope::ui {

class MachinePane : public QWidget {
  Q_OBJECT
 public:
  MachinePane(const Theme* theme, Background* background, QWidget* parent = nullptr);
  /// The file that kernels are read from; what was read of another one is forgotten.
  void setFile(const std::string& path, const std::string& hash);
  /// What to do where nothing is chosen.
  static QString howToChoose();
  /// Empty: nothing is chosen, and `words` say so.
  void showKernel(const QString& name, const QString& words);
  /// Above the code: "1 020 734.3 µs · 75.04 %"; may be empty.
  void setTime(const QString& words);
  DataTable* table() { return m_table; }
  DisassemblyModel* model() { return m_model; }
  SearchBar* search() { return m_search; }
  QString kernel() const { return m_kernel; }
  /// Selected lines, or all, as a disassembler writes them.
  QString selectedText() const;

 private:
  using Answer = base::Result<std::shared_ptr<const session::KernelCode>>;
  QWidget* buildHead();
  void showAnswer(const QString& name, const Answer& answer);
  void showFunction(int position);
  void showWords(const QString& title, const QString& text);
  void find(bool next, bool backwards);
  void follow(int row);
  void copy();

  const Theme* m_theme;
  Background* m_background;
  DisassemblyModel* m_model;
  QWidget* m_head;
  ElidedText* m_title;
  Text* m_size;
  QComboBox* m_functions;
  SearchBar* m_search;
  QToolButton* m_copy;
  Text* m_facts;
  Text* m_note;
  DataTable* m_table;
  QStackedWidget* m_stack;
  EmptyState* m_empty;
  std::string m_path;
  std::string m_hash;
  QString m_kernel;
  QString m_time;
  std::shared_ptr<const session::KernelCode> m_code;
  std::map<QString, Answer> m_known;
  quint64 m_number = 0;  ///< of the newest request; older answers are kept but not shown
};

}  // namespace opscope::ui
