// SPDX-License-Identifier: GPL-3.0-or-later
// QCustomPlot's header, which is written with Qt's keywords; they are off in this project, so they are on for
// the length of this include only.
#pragma once

#define signals Q_SIGNALS
#define slots Q_SLOTS
#define foreach Q_FOREACH
#include <qcustomplot.h>
#undef signals
#undef slots
#undef foreach
