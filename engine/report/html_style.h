// SPDX-License-Identifier: Apache-2.0
// The look and the small script of our HTML pages: the colours and sizes of resources/look/tokens.json.
// Constant data.
#pragma once

#include <string>
#include <string_view>

#include "engine/report/kinds.h"

namespace opscope::report {

/// The whole style sheet, light and dark, screen and paper.
std::string htmlStyle();

/// Sorts and filters the table with id "ops"; without it the table is complete and sorted by duration.
std::string_view htmlScript();

/// Class that fills with the colour of the kind: "k2".
std::string_view kindClass(OpKind kind);

}  // namespace opscope::report
