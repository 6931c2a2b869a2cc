// SPDX-License-Identifier: GPL-3.0-or-later
// The page that is shown as a picture in a file.
#include <QFileDialog>
#include <QFileInfo>

#include "ui/models/format.h"
#include "ui/shell/main_window.h"
#include "ui/views/charts/custom_plot.h"
#include "ui/views/charts/sharp_plots.h"
#include "ui/views/page_tabs.h"
#include "ui/views/widgets/page_bar.h"

namespace opscope::ui {
namespace {

constexpr double kPictureScale = 2;

/// Without the bar of search and buttons, where it is the upper edge.
QRect drawingOf(const QWidget* page) {
  QRect drawing = page->rect();
  for (const PageBar* bar : page->findChildren<PageBar*>()) {
    const QRect place(bar->mapTo(page, QPoint()), bar->size());
    if (bar->isVisible() && place.top() <= drawing.top() && place.width() >= page->width() - 2)
      drawing.setTop(place.bottom() + 1);
  }
  return drawing;
}

/// Plots show an image of themselves; into a vector picture they are drawn anew.
void drawPlots(QWidget* page, const QRect& drawing, QCPPainter* painter) {
  for (QCustomPlot* plot : page->findChildren<QCustomPlot*>()) {
    // What is cut off by the area that scrolls stays as it is seen.
    if (!plot->isVisible() || plot->visibleRegion() != QRegion(plot->rect())) continue;
    painter->save();
    painter->translate(plot->mapTo(page, QPoint()) - drawing.topLeft());
    plot->toPainter(painter, plot->width(), plot->height());
    painter->restore();
  }
}

/// The endings of kPictureFormats in words: ".png, .svg or .pdf".
base::Error unknownEnding(const QString& path) {
  return {base::ErrorCode::InvalidArgument, path.toStdString() + " was not written",
          "A picture of a page is written as .png, .svg or .pdf, and this name ends in ." +
              QFileInfo(path).suffix().toStdString() + ".",
          "Save it under a name with one of these endings."};
}

}  // namespace

QImage MainWindow::pagePicture(double scale) const {
  QWidget* page = m_pageStack->currentWidget();
  QImage image(page->size() * scale, QImage::Format_ARGB32_Premultiplied);
  image.setDevicePixelRatio(scale);
  image.fill(m_theme->colours().window);
  const SharpPlots sharp(page, scale);
  page->render(&image);
  return image;
}

Picture MainWindow::pageSheet(PictureFormat format) {
  QWidget* page = m_pageStack->currentWidget();
  const QRect drawing = drawingOf(page);
  const auto& run = m_workspace->run();
  Sheet sheet;
  sheet.title = m_pages[std::size_t(m_tabs->currentIndex())].title;
  sheet.detail = currentPage()->note();
  sheet.caption = run == nullptr ? m_workspace->fileName() : pictureCaption(*run);
  sheet.drawing = drawing.size();
  sheet.paint = [page, drawing, format](QCPPainter* painter) {
    page->render(painter, QPoint(), QRegion(drawing), QWidget::DrawWindowBackground | QWidget::DrawChildren);
    if (format != PictureFormat::Png) drawPlots(page, drawing, painter);
  };
  // Pictures are light, as those of charts. Nothing is shown between.
  const ThemeChoice choice = m_theme->choice();
  const bool other = m_theme->active() != ThemeChoice::Light;
  if (other) {
    wear(ThemeChoice::Light);
    // The application's own comes to widgets with later events.
    page->setPalette(m_theme->palette());
  }
  Picture picture;
  {
    const SharpPlots sharp(page, kPictureScale);
    picture = drawSheet(*m_theme, sheet, format);
  }
  if (other) {
    page->setPalette(QPalette());
    wear(choice);
  }
  return picture;
}

void MainWindow::wear(ThemeChoice choice) {
  m_changingTheme = true;
  m_theme->choose(choice);
  m_changingTheme = false;
}

void MainWindow::askSavePicture() {
  const QString name = safeFileName(m_workspace->fileName().section(QLatin1Char('.'), 0, 0) +
                                    QLatin1Char('-') + m_pages[std::size_t(m_tabs->currentIndex())].id);
  auto* dialog = new QFileDialog(this, QStringLiteral("Save picture of the page"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  QStringList filters;
  for (const PictureFormat format : kPictureFormats)
    filters << QStringLiteral("%1 (*.%2)").arg(pictureFormatName(format), pictureSuffix(format));
  dialog->setNameFilters(filters);
  // A name without an ending gets that of the chosen format.
  dialog->setDefaultSuffix(pictureSuffix(kPictureFormats[0]));
  connect(dialog, &QFileDialog::filterSelected, dialog, [dialog, filters](const QString& filter) {
    const auto position = filters.indexOf(filter);
    if (position >= 0) dialog->setDefaultSuffix(pictureSuffix(kPictureFormats[position]));
  });
  dialog->selectFile(name);
  connect(dialog, &QFileDialog::fileSelected, this, &MainWindow::savePicture);
  dialog->open();
}

void MainWindow::savePicture(const QString& path) {
  const QString ending = QFileInfo(path).suffix().toLower();
  for (const PictureFormat format : kPictureFormats) {
    if (ending == pictureSuffix(format)) return m_workspace->savePicture(pageSheet(format), path);
  }
  m_workspace->savePicture(unknownEnding(path), path);
}

}  // namespace opscope::ui
