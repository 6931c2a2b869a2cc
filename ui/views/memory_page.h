// SPDX-License-Identifier: GPL-3.0-or-later
// The Memory page: live bytes over the time of a repeat, who holds them, and the storages as a map of bytes
// and time. GUI thread.
#pragma once

#include <QCheckBox>
#include <QLineEdit>
#include <QSplitter>

#include "ui/models/storage_model.h"
#include "ui/views/memory/live_bytes_chart.h"
#include "ui/views/memory/storage_map.h"
#include "ui/views/run_page.h"
#include "ui/views/timeline/legend.h"
#include "ui/views/widgets/data_table.h"

namespace opscope::ui {

class MemoryPage : public RunPage {
  Q_OBJECT
 public:
  explicit MemoryPage(const PageContext& context, QWidget* parent = nullptr);
  void setRun(std::shared_ptr<const RunView> run) override;
  void setStatus(const PageStatus& status) override;
  bool focusSearch() override;
  std::vector<PageAct> acts() override;
  void undo() override;
  UndoStep undoStep() const override;
  DataTable* rowsTable() override { return m_data ? m_table : nullptr; }
  QString note() const override;
  /// Whether runs record memory from now on.
  void setRecording(bool records);

  const std::shared_ptr<const MemoryData>& memory() const { return m_data; }
  /// Box of memory() that was clicked, or whose row stands for the selected op.
  std::optional<std::uint32_t> chosenStorage() const { return m_told; }
  StorageModel* model() { return m_model; }
  TimeAxis* axis() { return m_axis; }
  StorageMap* map() { return m_map; }
  LiveBytesChart* curve() { return m_curve; }

 Q_SIGNALS:
  void recordingChosen(bool records);
  /// Run once more, with memory.
  void memoryRunRequested();
  /// Return or double click on a storage; its op is selected.
  void timelineRequested();
  /// chosenStorage() may be another.
  void storageChosen();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void noteZoom();
  QWidget* buildBar();
  QWidget* buildHead(const QString& title, ElidedText*& note, QWidget* right);
  QWidget* buildTable();
  void showMemory(std::shared_ptr<const MemoryData> made);
  void showLegends();
  void showFilter();
  void showMoment();
  void showSelection();
  void takeRow();
  void chooseBox(std::uint32_t box);
  void goToPeak();
  void showWords();
  void showTexts();

  StorageModel* m_model;
  UndoStep m_zoomStep = 0;  ///< when what is in sight became less than the whole
  TimeAxis* m_axis;
  QLineEdit* m_filter = nullptr;
  ActionButton* m_alive = nullptr;
  ActionButton* m_all = nullptr;
  ActionButton* m_toPeak = nullptr;
  QCheckBox* m_record = nullptr;
  ElidedText* m_figures = nullptr;
  ElidedText* m_curveNote = nullptr;
  ElidedText* m_mapNote = nullptr;
  Text* m_tableTitle = nullptr;
  ElidedText* m_tableNote = nullptr;
  Legend* m_curveLegend = nullptr;
  Legend* m_mapLegend = nullptr;
  LiveBytesChart* m_curve = nullptr;
  StorageMap* m_map = nullptr;
  DataTable* m_table = nullptr;
  QSplitter* m_splitter = nullptr;
  QStackedWidget* m_views = nullptr;
  QStackedWidget* m_tableStack = nullptr;
  QWidget* m_charts = nullptr;
  EmptyState* m_missing = nullptr;
  EmptyState* m_nothingFound = nullptr;
  ActionButton* m_runWithMemory = nullptr;
  std::shared_ptr<const MemoryData> m_data;
  std::optional<std::uint32_t> m_box;
  std::optional<std::uint32_t> m_told;  ///< m_box, or of the selected row
  PageStatus m_status;
  quint64 m_number = 0;  ///< of the newest run; data of older ones is dropped
  bool m_showing = false;
};

}  // namespace opscope::ui
