// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/charts/chart_picture.h"

#include <QBuffer>
#include <QDateTime>
#include <QFile>
#include <QPageSize>
#include <QPdfWriter>
#include <QSvgGenerator>

#include "engine/base/atomic_file.h"
#include "ui/models/format.h"
#include "ui/views/charts/custom_plot.h"

namespace opscope::ui {
namespace {

constexpr int kScale = 2;              // of a PNG
constexpr double kPixelsPerInch = 96;  // of the design
constexpr double kPointsPerInch = 72;  // of a PDF page

/// Chart, title and caption on one sheet.
class Sheet {
 public:
  Sheet(const ChartEntry& entry, const Chart& shown, const std::shared_ptr<const RunView>& run,
        Selection* selection)
      : m_caption(pictureCaption(*run)) {
    m_light.choose(ThemeChoice::Light);
    m_chart.reset(entry.make({&m_light, selection}));
    m_chart->takeView(shown);
    m_chart->setRun(run);
    const QSize design = m_chart->pictureSize();
    m_drawing = QSize(m_light.px(design.width()), m_light.px(design.height()));
    m_margin = m_light.px(16);
    m_titleHeight = m_light.px(26);
    m_captionHeight = m_light.px(22);
  }

  QSize size() const {
    return QSize(m_drawing.width() + 2 * m_margin,
                 m_drawing.height() + 2 * m_margin + m_titleHeight + m_captionHeight);
  }
  QString title() const { return m_chart->title(); }
  QString caption() const { return m_caption; }

  void paintOn(QPaintDevice* device, bool isVector) {
    QCPPainter painter;
    painter.begin(device);
    painter.setMode(QCPPainter::pmVectorized, isVector);
    painter.setMode(QCPPainter::pmNoCaching);
    painter.fillRect(QRect(QPoint(), size()), m_light.colours().base);
    paintTexts(&painter);
    painter.translate(m_margin, m_margin + m_titleHeight);
    m_chart->paintPicture(&painter, m_drawing);
    painter.end();
  }

 private:
  void paintTexts(QPainter* painter) const {
    const QFont bold = m_light.font(15, QFont::DemiBold), plain = m_light.font(12);
    const QFontMetricsF boldMetrics(bold), plainMetrics(plain);
    const double width = m_drawing.width();
    QRectF row(m_margin, m_margin - m_light.px(4), width, m_titleHeight);
    const QString title = boldMetrics.elidedText(m_chart->title(), Qt::ElideMiddle, width);
    painter->setFont(bold);
    painter->setPen(m_light.colours().text);
    painter->drawText(row, Qt::AlignLeft | Qt::AlignVCenter, title);
    row.setLeft(row.left() + boldMetrics.horizontalAdvance(title) + m_light.px(10));
    painter->setFont(plain);
    painter->setPen(m_light.colours().textSecondary);
    painter->drawText(row, Qt::AlignLeft | Qt::AlignVCenter,
                      plainMetrics.elidedText(m_chart->detail(), Qt::ElideRight, std::max(0.0, row.width())));
    const QRectF foot(m_margin, size().height() - m_margin - m_captionHeight + m_light.px(6), width,
                      m_captionHeight);
    painter->drawText(foot, Qt::AlignLeft | Qt::AlignVCenter,
                      plainMetrics.elidedText(m_caption, Qt::ElideMiddle, width));
  }

  Theme m_light;
  std::unique_ptr<Chart> m_chart;
  QString m_caption;
  QSize m_drawing;
  int m_margin = 0;
  int m_titleHeight = 0;
  int m_captionHeight = 0;
};

QImage imageOf(Sheet& sheet) {
  QImage image(sheet.size() * kScale, QImage::Format_RGB32);
  image.setDevicePixelRatio(kScale);
  image.fill(Qt::white);
  sheet.paintOn(&image, false);
  return image;
}

QByteArray svgOf(Sheet& sheet) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  QSvgGenerator svg;
  svg.setOutputDevice(&buffer);
  svg.setResolution(int(kPixelsPerInch));
  svg.setSize(sheet.size());
  svg.setViewBox(QRect(QPoint(), sheet.size()));
  svg.setTitle(sheet.title());
  svg.setDescription(sheet.caption());
  sheet.paintOn(&svg, true);
  return bytes;
}

QByteArray pdfOf(Sheet& sheet) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  {
    QPdfWriter pdf(&buffer);
    pdf.setResolution(int(kPixelsPerInch));
    const QSizeF points = QSizeF(sheet.size()) * (kPointsPerInch / kPixelsPerInch);
    pdf.setPageSize(QPageSize(points, QPageSize::Point, QString(), QPageSize::ExactMatch));
    pdf.setPageMargins(QMarginsF());
    pdf.setTitle(sheet.title());
    pdf.setCreator(QStringLiteral("Opscope"));
    sheet.paintOn(&pdf, true);
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
  if (!data.function.empty()) parts << QString::fromStdString(data.function);
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

ChartPicture drawPicture(const ChartEntry& entry, const Chart& shown,
                         const std::shared_ptr<const RunView>& run, Selection* selection,
                         PictureFormat format) {
  Sheet sheet(entry, shown, run, selection);
  ChartPicture picture{format, {}, {}};
  switch (format) {
    case PictureFormat::Png:
      picture.image = imageOf(sheet);
      break;
    case PictureFormat::Svg:
      picture.bytes = svgOf(sheet);
      break;
    case PictureFormat::Pdf:
      picture.bytes = pdfOf(sheet);
      break;
  }
  return picture;
}

base::Result<> writePicture(const ChartPicture& picture, const QString& path) {
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

}  // namespace opscope::ui
