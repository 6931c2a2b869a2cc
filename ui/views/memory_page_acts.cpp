// SPDX-License-Identifier: GPL-3.0-or-later
// What the Memory page can do, as commands.
#include "ui/views/memory_page.h"

namespace opscope::ui {

std::vector<PageAct> MemoryPage::acts() {
  std::vector<PageAct> list = {
      pressing("memory.peak", QStringLiteral("Go to the peak"), "Ctrl+K, P", m_toPeak),
      pressing("memory.alive", QStringLiteral("List what was live then"), "Ctrl+K, V", m_alive),
      pressing("memory.all", QStringLiteral("List all storages"), "Ctrl+K, S", m_all)};
  for (PageAct& act : list) act.possible = [this, could = act.possible]() { return m_data && could(); };
  return list;
}

}  // namespace opscope::ui
