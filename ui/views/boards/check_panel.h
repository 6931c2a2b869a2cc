// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of a check, live, and what to do about the one that failed. GUI thread; the dialog owns it.
#pragma once

#include <QTableView>
#include <QWidget>

#include "ui/models/check_model.h"
#include "ui/views/widgets/panels.h"

namespace opscope::ui {

class CheckPanel : public QWidget {
  Q_OBJECT
 public:
  explicit CheckPanel(const Theme* theme, QWidget* parent = nullptr);
  CheckModel* model() { return m_model; }
  /// Looks at the model again. `keys` are those that the tracker knows, when the key is what failed.
  void refresh(const QStringList& keys, const QString& serverCommand);

 Q_SIGNALS:
  void keyChosen(const QString& key);

 private:
  void layoutTable();
  void fillFailure(const QStringList& keys, const QString& serverCommand);

  const Theme* m_theme;
  CheckModel* m_model;
  Text* m_summary;
  QTableView* m_table;
  QWidget* m_failure;
  Text* m_failureTitle;
  Text* m_failureText;
  QHBoxLayout* m_failureButtons;
  QStringList m_offers;  ///< what the buttons are for
};

}  // namespace opscope::ui
