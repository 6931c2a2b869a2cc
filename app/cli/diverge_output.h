// SPDX-License-Identifier: Apache-2.0
// What `diverge` prints. Main thread.
#pragma once

#include <string>

#include "app/cli/console.h"
#include "app/cli/options.h"
#include "engine/session/divergence.h"

namespace opscope::cli {

/// For people: the first op that differs, then the others, calls without a partner, results.
std::string divergeText(const DivergeOptions& options, const session::Divergence& found,
                        const Console& console);

/// opscope.diverge/1.
std::string divergeJson(const DivergeOptions& options, const session::Divergence& found);

}  // namespace opscope::cli
