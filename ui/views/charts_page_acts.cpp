// SPDX-License-Identifier: GPL-3.0-or-later
// What the Charts page can do, as commands.
#include "ui/views/charts_page.h"

namespace opscope::ui {
namespace {

constexpr const char* kSegmentIds[] = {"charts.segment1", "charts.segment2", "charts.segment3",
                                       "charts.segment4", "charts.segment5", "charts.segment6"};
constexpr const char* kSegmentKeys[] = {"Ctrl+K, F1", "Ctrl+K, F2", "Ctrl+K, F3",
                                        "Ctrl+K, F4", "Ctrl+K, F5", "Ctrl+K, F6"};

}  // namespace

std::vector<PageAct> ChartsPage::acts() {
  std::vector<PageAct> list;
  for (std::size_t i = 0; i < std::min(std::size(kSegmentIds), m_segmentButtons.size()); ++i) {
    QAbstractButton* button = m_segmentButtons[i].second;
    list.push_back(
        pressing(kSegmentIds[i], QStringLiteral("Charts: %1").arg(button->text()), kSegmentKeys[i], button));
  }
  const auto saves = [this]() {
    const ChartFrame* frame = currentFrame();
    if (frame == nullptr) return false;
    // A chart that is not on screen is not drawn to be asked.
    return frame->isVisible() ? canSave(*frame) : run() != nullptr || m_sweep != nullptr;
  };
  list.push_back({"charts.save", QStringLiteral("Save this chart"),
                  QStringLiteral("Save the chart that has the focus, or the first, as a picture"),
                  "Ctrl+K, G", nullptr, [this]() { currentFrame()->chooseFormat(); }, saves});
  list.push_back({"charts.copy", QStringLiteral("Copy this chart as a picture"),
                  QStringLiteral("Copy the chart that has the focus, or the first"), "Ctrl+K, I", nullptr,
                  [this]() { copyPicture(currentFrame()); }, saves});
  list.push_back({"charts.enlarge", QStringLiteral("Enlarge this chart"),
                  QStringLiteral("Give the page to the chart that has the focus, or to the first"),
                  "Ctrl+K, X", nullptr, [this]() { enlarge(currentFrame()); },
                  [this]() { return currentFrame() != nullptr && m_enlarged == nullptr; }});
  list.push_back(
      pressing("charts.saveAll", QStringLiteral("Save all charts into a folder"), "Ctrl+K, A", m_saveAll));
  list.push_back({"charts.showAll", QStringLiteral("Show all charts again"),
                  QStringLiteral("End the enlarging of one chart"), "Ctrl+K, L", nullptr,
                  [this]() { enlarge(nullptr); }, [this]() { return m_enlarged != nullptr; }});
  return list;
}

}  // namespace opscope::ui
