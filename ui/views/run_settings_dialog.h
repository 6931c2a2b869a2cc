// SPDX-License-Identifier: GPL-3.0-or-later
// How the open executable runs: threads, memory, what is measured, how long a board is waited for, and
// plugins with the functions that it calls but does not hold. GUI thread; what is chosen counts when the
// dialog is accepted.
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QListWidget>
#include <QSpinBox>
#include <QVBoxLayout>

#include "ui/models/run_options.h"
#include "ui/views/counter_choice.h"
#include "ui/views/widgets/buttons.h"
#include "ui/views/widgets/labels.h"

namespace opscope::ui {

class RunSettingsDialog : public QDialog {
  Q_OBJECT
 public:
  /// Where the next run goes.
  struct Place {
    QString board;             ///< name of the board; empty: this computer
    bool isTvmServer = false;  ///< it can be told less than our server
  };

  /// `file` is the name of what is open, `missing` the function that a run did not find, or empty.
  RunSettingsDialog(const Theme* theme, const QString& file, const RunOptions& options,
                    const QString& missing, const Place& place, QWidget* parent = nullptr);
  RunOptions options() const;
  /// Which events this computer can count.
  void setCounters(const session::CounterList& list);
  QSpinBox* threads() { return m_threads; }
  QCheckBox* pin() { return m_pin; }
  QSpinBox* spin() { return m_spin; }
  QComboBox* allocator() { return m_allocator; }
  QComboBox* overhead() { return m_overhead; }
  CounterChoice* counters() { return m_counters; }
  QSpinBox* timeout() { return m_timeout; }
  QListWidget* plugins() { return m_plugins; }
  void focusPlugins();
  /// A file that is in the list already is not put there again.
  void addPlugins(const QStringList& files);

 Q_SIGNALS:
  /// A file dialog is wanted; its files go to addPlugins().
  void pluginsWanted();

 private:
  void addTitle(QVBoxLayout* layout, const QString& words);
  Text* addNote(QVBoxLayout* layout, const QString& words);
  void addField(QVBoxLayout* layout, const QString& label, QWidget* field, const QString& unit = {});
  QWidget* buildContent(const QString& missing, const QStringList& counters);
  void buildThreads(QVBoxLayout* layout);
  void buildMemory(QVBoxLayout* layout);
  void buildMeasuring(QVBoxLayout* layout, const QStringList& counters);
  void buildWaiting(QVBoxLayout* layout);
  void buildPlugins(QVBoxLayout* layout, const QString& missing);
  QLayout* buildFoot();
  void setOptions(const RunOptions& options);
  void removeChosen();
  void refresh();

  const Theme* m_theme;
  Place m_place;
  QSpinBox* m_threads = nullptr;
  QCheckBox* m_pin = nullptr;
  QSpinBox* m_spin = nullptr;
  QComboBox* m_allocator = nullptr;
  QComboBox* m_overhead = nullptr;
  CounterChoice* m_counters = nullptr;
  QSpinBox* m_timeout = nullptr;
  QListWidget* m_plugins = nullptr;
  ActionButton* m_add = nullptr;
  ActionButton* m_remove = nullptr;
};

}  // namespace opscope::ui
