// SPDX-License-Identifier: GPL-3.0-or-later
// A chart as a picture to keep: in the light palette, with title above and run and date below.
#pragma once

#include <QByteArray>
#include <QImage>
#include <QString>
#include <vector>

#include "engine/base/result.h"
#include "ui/views/charts/charts.h"

namespace opscope::ui {

enum class PictureFormat { Png, Svg, Pdf };

/// In the order of menus.
inline constexpr PictureFormat kPictureFormats[] = {PictureFormat::Png, PictureFormat::Svg,
                                                    PictureFormat::Pdf};

/// "PNG", and "png" for file names.
QString pictureFormatName(PictureFormat format);
QString pictureSuffix(PictureFormat format);

/// A picture in memory. Made on the GUI thread; then any one thread.
struct ChartPicture {
  PictureFormat format = PictureFormat::Png;
  QImage image;      ///< of a PNG, at twice the size
  QByteArray bytes;  ///< of the others
};

/// Draws what `shown` shows, at the chart's own picture size. GUI thread.
ChartPicture drawPicture(const ChartEntry& entry, const Chart& shown,
                         const std::shared_ptr<const RunView>& run, Selection* selection,
                         PictureFormat format);

/// "shufflenet.so · main · 30 repeats · 2026-01-02 12:00 UTC".
QString pictureCaption(const RunView& run);

/// Writes the whole file or none. Errors: Io of base::writeFileAtomically; Internal when the image cannot be
/// encoded. Not for the GUI thread.
base::Result<> writePicture(const ChartPicture& picture, const QString& path);

}  // namespace opscope::ui
