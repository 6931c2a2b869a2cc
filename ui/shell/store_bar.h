// SPDX-License-Identifier: GPL-3.0-or-later
// The bar over the pages that tells that runs could not be saved, until they are or are given up. GUI thread;
// the store outlives it and may be null.
#pragma once

#include "ui/bridge/run_store.h"
#include "ui/views/widgets/panels.h"

namespace opscope::ui {

class StoreBar : public InfoBar {
  Q_OBJECT
 public:
  StoreBar(const Theme* theme, RunStore* store, QWidget* parent = nullptr);

 private:
  void refresh();
  void showChangeFailed(const base::Error& error);

  RunStore* m_store;
};

}  // namespace opscope::ui
