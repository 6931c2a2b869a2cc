// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/widgets/picture.h"

#include <QBuffer>
#include <QDateTime>
#include <QFile>
#include <QFileDialog>
#include <QPageSize>
#include <QPdfWriter>
#include <QRegularExpression>
#include <QSvgGenerator>
#include <algorithm>

#include "engine/base/atomic_file.h"
#include "ui/bridge/slow_work.h"
#include "ui/models/format.h"
#include "ui/views/charts/custom_plot.h"

namespace opscope::ui {
namespace {

constexpr int kScale = 2;              // of a PNG
constexpr double kPixelsPerInch = 96;  // of the design
constexpr double kPointsPerInch = 72;  // of a PDF page

/// The drawing with title and caption.
class SheetPainter {
 public:
  SheetPainter(const Theme& light, const Sheet& sheet)
      : m_light(light),
        m_sheet(sheet),
        m_margin(light.px(16)),
        m_titleHeight(light.px(26)),
        m_captionHeight(light.px(22)) {}

  QSize size() const {
    return QSize(m_sheet.drawing.width() + 2 * m_margin,
                 m_sheet.drawing.height() + 2 * m_margin + m_titleHeight + m_captionHeight);
  }

  void paintOn(QPaintDevice* device, bool isVector) const {
    QCPPainter painter;
    painter.begin(device);
    painter.setMode(QCPPainter::pmVectorized, isVector);
    painter.setMode(QCPPainter::pmNoCaching);
    painter.fillRect(QRect(QPoint(), size()), m_light.colours().base);
    paintTexts(&painter);
    painter.translate(m_margin, m_margin + m_titleHeight);
    m_sheet.paint(&painter);
    painter.end();
  }

 private:
  void paintTexts(QPainter* painter) const {
    const QFont bold = m_light.font(15, QFont::DemiBold), plain = m_light.font(12);
    const QFontMetricsF boldMetrics(bold), plainMetrics(plain);
    const double width = m_sheet.drawing.width();
    QRectF row(m_margin, m_margin - m_light.px(4), width, m_titleHeight);
    const QString title = boldMetrics.elidedText(m_sheet.title, Qt::ElideMiddle, width);
    painter->setFont(bold);
    painter->setPen(m_light.colours().text);
    painter->drawText(row, Qt::AlignLeft | Qt::AlignVCenter, title);
    row.setLeft(row.left() + boldMetrics.horizontalAdvance(title) + m_light.px(10));
    painter->setFont(plain);
    painter->setPen(m_light.colours().textSecondary);
    painter->drawText(row, Qt::AlignLeft | Qt::AlignVCenter,
                      plainMetrics.elidedText(m_sheet.detail, Qt::ElideRight, std::max(0.0, row.width())));
    const QRectF foot(m_margin, size().height() - m_margin - m_captionHeight + m_light.px(6), width,
                      m_captionHeight);
    painter->drawText(foot, Qt::AlignLeft | Qt::AlignVCenter,
                      plainMetrics.elidedText(m_sheet.caption, Qt::ElideMiddle, width));
  }

  const Theme& m_light;
  const Sheet& m_sheet;
  int m_margin;
  int m_titleHeight;
  int m_captionHeight;
};

QImage imageOf(const SheetPainter& sheet) {
  QImage image(sheet.size() * kScale, QImage::Format_RGB32);
  image.setDevicePixelRatio(kScale);
  image.fill(Qt::white);
  sheet.paintOn(&image, false);
  return image;
}

QByteArray svgOf(const SheetPainter& painter, const Sheet& sheet) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  QSvgGenerator svg;
  svg.setOutputDevice(&buffer);
  svg.setResolution(int(kPixelsPerInch));
  svg.setSize(painter.size());
  svg.setViewBox(QRect(QPoint(), painter.size()));
  svg.setTitle(sheet.title);
  svg.setDescription(sheet.caption);
  painter.paintOn(&svg, true);
  return bytes;
}

QByteArray pdfOf(const SheetPainter& painter, const Sheet& sheet) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  {
    QPdfWriter pdf(&buffer);
    pdf.setResolution(int(kPixelsPerInch));
    const QSizeF points = QSizeF(painter.size()) * (kPointsPerInch / kPixelsPerInch);
    pdf.setPageSize(QPageSize(points, QPageSize::Point, QString(), QPageSize::ExactMatch));
    pdf.setPageMargins(QMarginsF());
    pdf.setTitle(sheet.title);
    pdf.setCreator(QStringLiteral("Opscope"));
    painter.paintOn(&pdf, true);
  }
  return bytes;
}

}  // namespace

QString pictureFormatName(PictureFormat format) {
  switch (format) {
    case PictureFormat::Png:
      return QStringLiteral("PNG");
    case PictureFormat::Svg:
      return QStringLiteral("SVG");
    case PictureFormat::Pdf:
      return QStringLiteral("PDF");
  }
  return {};
}

QString pictureSuffix(PictureFormat format) {
  return pictureFormatName(format).toLower();
}

QString pictureCaption(const RunView& run) {
  const report::Run& data = run.run();
  QStringList parts;
  if (!run.fileName().isEmpty()) parts << run.fileName();
  if (!data.function.empty()) parts << format::fromUtf8(data.function);
  if (!run.rangeText.isEmpty()) {
    parts << QStringLiteral("range %1").arg(run.rangeText);
  } else if (data.repeats > 0) {
    parts << QStringLiteral("%1 %2").arg(run.repeatsText(), data.repeats == 1 && !run.isPartial()
                                                                ? QStringLiteral("repeat")
                                                                : QStringLiteral("repeats"));
  }
  const QString pattern = QStringLiteral("yyyy-MM-dd HH:mm 'UTC'");
  const QDateTime started = QDateTime::fromString(QString::fromStdString(data.startedAt), Qt::ISODate);
  // A report read from a file does not tell when it was measured.
  parts << (started.isValid() ? started.toUTC().toString(pattern)
                              : QStringLiteral("saved ") + QDateTime::currentDateTimeUtc().toString(pattern));
  return parts.join(QStringLiteral(" · "));
}

Picture drawSheet(const Theme& light, const Sheet& sheet, PictureFormat format) {
  const SheetPainter painter(light, sheet);
  Picture picture{format, {}, {}};
  switch (format) {
    case PictureFormat::Png:
      picture.image = imageOf(painter);
      break;
    case PictureFormat::Svg:
      picture.bytes = svgOf(painter, sheet);
      break;
    case PictureFormat::Pdf:
      picture.bytes = pdfOf(painter, sheet);
      break;
  }
  return picture;
}

base::Result<> writePicture(const Picture& picture, const QString& path) {
  const SlowWork work("writing a picture");
  QByteArray bytes = picture.bytes;
  if (picture.format == PictureFormat::Png) {
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    if (!picture.image.save(&buffer, "PNG")) {
      return base::Error{base::ErrorCode::Internal, path.toStdString() + " was not written",
                         "The image could not be encoded as PNG.", "Save it as SVG or PDF."};
    }
  }
  return base::writeFileAtomically(QFile::encodeName(path).toStdString(),
                                   std::string_view(bytes.constData(), std::size_t(bytes.size())));
}

void askPicturePath(QWidget* owner, const QString& title, const QString& name, PictureFormat format,
                    const std::function<void(const QString&)>& chosen) {
  auto* dialog = new QFileDialog(owner, title);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(pictureSuffix(format));
  dialog->setNameFilter(QStringLiteral("%1 (*.%2)").arg(pictureFormatName(format), pictureSuffix(format)));
  dialog->selectFile(name);
  QObject::connect(dialog, &QFileDialog::fileSelected, owner, chosen);
  dialog->open();
}

QString safeFileName(QString text) {
  static const QRegularExpression others(QStringLiteral("[^A-Za-z0-9._]+"));
  return text.replace(others, QStringLiteral("-")).left(80);
}

QString pictureFileName(const RunView& run, const QString& what, PictureFormat format) {
  const QString file = run.fileName();
  QStringList parts;
  parts << safeFileName(file.endsWith(QLatin1String(".so")) ? file.chopped(3) : file);
  parts << safeFileName(QString::fromStdString(run.run().function));
  parts << what;
  parts.removeAll(QString());
  return parts.join(QLatin1Char('-')) + QLatin1Char('.') + pictureSuffix(format);
}

}  // namespace opscope::ui
