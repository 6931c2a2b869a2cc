// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures for files: a drawing on a white sheet with its title above and a caption below, as PNG, SVG or
// PDF.
#pragma once

#include <QByteArray>
#include <QImage>
#include <QSize>
#include <QString>
#include <functional>

#include "engine/base/result.h"
#include "ui/models/run_view.h"
#include "ui/views/look/theme.h"

class QCPPainter;
class QWidget;

namespace opscope::ui {

enum class PictureFormat { Png, Svg, Pdf };

/// In the order of menus.
inline constexpr PictureFormat kPictureFormats[] = {PictureFormat::Png, PictureFormat::Svg,
                                                    PictureFormat::Pdf};

/// "PNG", and "png" for file names.
QString pictureFormatName(PictureFormat format);
QString pictureSuffix(PictureFormat format);

/// A picture in memory. Made on the GUI thread; then any one thread.
struct Picture {
  PictureFormat format = PictureFormat::Png;
  QImage image;      ///< of a PNG, at twice the size
  QByteArray bytes;  ///< of the others
};

struct Sheet {
  QString title;
  QString detail;
  QString caption;
  QSize drawing;  ///< in pixels
  /// Paints into (0, 0) to `drawing`.
  std::function<void(QCPPainter*)> paint;
};

/// GUI thread. `light` has the light palette.
Picture drawSheet(const Theme& light, const Sheet& sheet, PictureFormat format);

/// "shufflenet.so · main · 30 repeats · 2026-01-02 12:00 UTC".
QString pictureCaption(const RunView& run);

/// Writes the whole file or none. Errors: Io of base::writeFileAtomically; Internal when the image cannot be
/// encoded. Not for the GUI thread.
base::Result<> writePicture(const Picture& picture, const QString& path);

/// Asks over `owner` where a picture is to be saved, under `name` at first. `chosen` is called with the path
/// when the user says, while `owner` lives. GUI thread.
void askPicturePath(QWidget* owner, const QString& title, const QString& name, PictureFormat format,
                    const std::function<void(const QString&)>& chosen);

/// What file systems and shells take without trouble.
QString safeFileName(QString text);

/// "shufflenet-main-treemap.svg": what a picture of a run is called at first.
QString pictureFileName(const RunView& run, const QString& what, PictureFormat format);

}  // namespace opscope::ui
