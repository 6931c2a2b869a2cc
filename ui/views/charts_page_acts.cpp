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
  list.push_back(
      pressing("charts.saveAll", QStringLiteral("Save all charts into a folder"), "Ctrl+K, A", m_saveAll));
  list.push_back({"charts.showAll", QStringLiteral("Show all charts again"),
                  QStringLiteral("End the enlarging of one chart"), "Ctrl+K, L", nullptr,
                  [this]() { enlarge(nullptr); }, [this]() { return m_enlarged != nullptr; }});
  return list;
}

}  // namespace opscope::ui
