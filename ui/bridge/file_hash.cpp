// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/file_hash.h"

#include "engine/base/atomic_file.h"
#include "engine/session/content_hash.h"
#include "ui/bridge/slow_work.h"

namespace opscope::ui {

base::Result<std::string> hashOfFile(const std::string& path) {
  const SlowWork work("the hash of a file");
  OPSCOPE_TRY_ASSIGN(const base::PageBuffer bytes, base::readFilePages(path));
  return session::contentHash(bytes.view());
}

}  // namespace opscope::ui
