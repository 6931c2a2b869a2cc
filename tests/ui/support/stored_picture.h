// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures that are kept in tests/data/pictures and compared. Any thread.
//
// Of each square of points the mean is kept, in at most 256 colours: a whole window takes some 20 KB, and a
// text that moves by one point still shows. A difference is a mean that is further off than rounding
// explains.
#pragma once

#include <QImage>
#include <QString>
#include <QStringList>
#include <vector>

namespace opscope::ui::testing {

/// Squares of this many points, not device pixels.
inline constexpr int kMeanOf = 2;

/// What is kept of a picture; `scale` is that of its device pixels.
QImage meansOf(const QImage& picture, int scale);

/// Holds `picture` against the stored one called `name`. Gives nothing when they are alike; else what
/// differs, in words with the names of the files that show what was expected, what came and where they
/// differ. With the environment variable OPSCOPE_UPDATE_PICTURES the stored one is replaced where it differs.
QString differenceToStored(const QString& name, const QImage& picture, int scale);

/// Names of stored pictures that no test asked for are left over from states that are gone.
QStringList storedPictures();

}  // namespace opscope::ui::testing
