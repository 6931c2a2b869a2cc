// SPDX-License-Identifier: GPL-3.0-or-later
// Search and saved pictures of the Timeline page.
#include <QMenu>

#include "ui/bridge/slow_work.h"
#include "ui/models/format.h"
#include "ui/views/timeline/timeline_view.h"
#include "ui/views/timeline_page.h"

namespace opscope::ui {

void TimelinePage::countHits() {
  const auto timeline = m_view->timeline();
  context().background->run(
      this,
      [timeline, matches = m_view->matches()]() {
        const SlowWork work("a search in the Timeline");
        return hitsOf(*timeline, matches);
      },
      [this, timeline, matches = m_view->matches()](std::vector<std::uint32_t> hits) {
        m_view->setHits(timeline, matches, std::move(hits));
      });
}

void TimelinePage::showSearch() {
  const TimelineView::Search search = m_view->search();
  QString text;
  if (search.active && !search.counted) {
    text = QStringLiteral("counting");
  } else if (search.active && search.hits == 0) {
    text = QStringLiteral("no hits");
  } else if (search.active) {
    const QString hits = format::integer(std::int64_t(search.hits));
    text = search.current > 0
               ? QStringLiteral("%1 of %2").arg(format::integer(std::int64_t(search.current)), hits)
               : format::counted(std::int64_t(search.hits), "hit", "hits");
  }
  m_hits->setText(text);
  m_hits->setVisible(!text.isEmpty());
}

void TimelinePage::buildSave(QHBoxLayout* row) {
  m_save = iconButton(theme(), "save", QStringLiteral("Save what is in view as a picture"), this);
  row->addWidget(m_save);
  connect(m_save, &QToolButton::clicked, this, [this]() {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (const PictureFormat format : kPictureFormats) {
      menu->addAction(QStringLiteral("Save as %1…").arg(pictureFormatName(format)), this,
                      [this, format]() { askPath(format); })
          ->setEnabled(m_view->timeline() != nullptr);
    }
    menu->popup(m_save->mapToGlobal(QPoint(0, m_save->height())));
  });
}

void TimelinePage::askPath(PictureFormat format) {
  if (run() == nullptr || m_view->timeline() == nullptr) return;
  askPicturePath(this, QStringLiteral("Save the timeline"),
                 pictureFileName(*run(), QStringLiteral("timeline"), format), format,
                 [this, format](const QString& path) { writePictureTo(path, format); });
}

void TimelinePage::writePictureTo(const QString& path, PictureFormat format) {
  if (m_view->timeline() == nullptr) return;
  context().background->run(
      this,
      [picture = m_view->picture(format), path]() {
        const base::Result<> written = writePicture(picture, path);
        return written ? QString() : format::errorLines(written.error());
      },
      [this, path](const QString& error) {
        m_message->clearButtons();
        connect(m_message->addButton(QStringLiteral("Close")), &QPushButton::clicked, m_message,
                &QWidget::hide);
        if (error.isEmpty()) {
          m_message->hide();
          Q_EMIT noticed(QStringLiteral("Saved %1").arg(format::shortPath(path)));
        } else {
          m_message->showMessage(InfoBar::Kind::Error, QStringLiteral("Nothing was saved."), error);
        }
        Q_EMIT pictureWritten(path, error);
      });
}

}  // namespace opscope::ui
