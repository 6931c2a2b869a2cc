// SPDX-License-Identifier: GPL-3.0-or-later
// How the open executable runs: kernel threads, and plugins with the functions that it calls but does not
// hold. GUI thread; what is chosen counts when the dialog is accepted.
#pragma once

#include <QDialog>
#include <QListWidget>
#include <QSpinBox>
#include <QVBoxLayout>

#include "ui/models/run_options.h"
#include "ui/views/widgets/buttons.h"
#include "ui/views/widgets/labels.h"

namespace opscope::ui {

class RunSettingsDialog : public QDialog {
  Q_OBJECT
 public:
  /// `file` is the name of what is open, `missing` the function that a run did not find, or empty.
  RunSettingsDialog(const Theme* theme, const QString& file, const RunOptions& options,
                    const QString& missing, QWidget* parent = nullptr);
  RunOptions options() const;
  QSpinBox* threads() { return m_threads; }
  QListWidget* plugins() { return m_plugins; }
  void focusPlugins();
  /// A file that is in the list already is not put there again.
  void addPlugins(const QStringList& files);

 Q_SIGNALS:
  /// A file dialog is wanted; its files go to addPlugins().
  void pluginsWanted();

 private:
  void buildThreads(QVBoxLayout* layout);
  void buildPlugins(QVBoxLayout* layout, const QString& missing);
  void removeChosen();
  void refresh();

  const Theme* m_theme;
  QSpinBox* m_threads = nullptr;
  QListWidget* m_plugins = nullptr;
  ActionButton* m_add = nullptr;
  ActionButton* m_remove = nullptr;
};

}  // namespace opscope::ui
