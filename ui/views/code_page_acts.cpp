// SPDX-License-Identifier: GPL-3.0-or-later
// What the Code page can do, as commands.
#include <QCheckBox>

#include "ui/views/code/search_bar.h"
#include "ui/views/code_page.h"

namespace opscope::ui {

std::vector<PageAct> CodePage::acts() {
  const auto searched = [this]() { return m_code != nullptr && !m_search->text().isEmpty(); };
  std::vector<PageAct> list = {
      pressing("code.hottest", QStringLiteral("Hottest instruction"), "Ctrl+K, H", m_hottest),
      pressing("code.nextHottest", QStringLiteral("Next hottest instruction"), "Ctrl+K, N", m_nextHottest),
      pressing("code.hide", m_hide->text(), "Ctrl+K, D", m_hide)};
  list.push_back({"code.findNext", QStringLiteral("Find next"),
                  QStringLiteral("Go to the next row that holds the text of the search"), "F3", nullptr,
                  [this]() { find(true, false); }, searched});
  list.push_back({"code.findPrevious", QStringLiteral("Find previous"),
                  QStringLiteral("Go to the row before that holds the text of the search"), "Shift+F3",
                  nullptr, [this]() { find(true, true); }, searched});
  return list;
}

}  // namespace opscope::ui
