// SPDX-License-Identifier: GPL-3.0-or-later
// The waterfall at the foot of the Compare page: its title, how large it is, and how it is saved.
#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>
#include <algorithm>

#include "ui/models/format.h"
#include "ui/views/compare/waterfall.h"
#include "ui/views/compare_page.h"
#include "ui/views/widgets/page_bar.h"

namespace opscope::ui {
namespace {

/// Below, the rows need the room: the waterfall has its title, and can be enlarged.
constexpr int kLeastHeightForFoot = 500;
constexpr int kAmpleHeight = 620;

void popUpBelow(QMenu* menu, QWidget* button) {
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->popup(button->mapToGlobal(QPoint(0, button->height())));
}

}  // namespace

QString ComparePage::state() const {
  if (!m_view) return {};
  const report::Run &before = m_view->a.view->run(), &after = m_view->b.view->run();
  const QString compared = m_view->comparison->isOfGroups() ? QStringLiteral("Comparing 2 groups of runs")
                                                            : QStringLiteral("Comparing 2 runs");
  return before.function != after.function || after.function.empty()
             ? compared
             : QStringLiteral("%1 of %2").arg(compared, format::fromUtf8(after.function));
}

QString ComparePage::stateDetail() const {
  if (!m_view) return {};
  const auto both = std::ranges::count_if(m_view->comparison->ops, [](const report::ComparedOp& op) {
    return op.a.has_value() && op.b.has_value();
  });
  return QStringLiteral("%1 in both").arg(format::counted(both, "op", "ops"));
}

QWidget* ComparePage::buildFoot() {
  auto* foot = new QWidget;
  auto* layout = new QVBoxLayout(foot);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(new Hairline(theme()));
  auto* bar = new PageBar(theme());
  auto* title = new Text(theme(), 13, &Colours::text, QFont::DemiBold);
  title->setText(QStringLiteral("Where the difference comes from"));
  m_footDetail = new ElidedText(theme(), 12, &Colours::textSecondary, QFont::Normal, Qt::ElideRight);
  m_footEnlarge = new ActionButton(theme(), nullptr, QStringLiteral("Enlarge"));
  connect(m_footEnlarge, &QPushButton::clicked, this, [this]() { enlarge(!m_enlarged); });
  m_footSave = iconButton(theme(), "save", QStringLiteral("Save this chart as a picture"), bar);
  connect(m_footSave, &QToolButton::clicked, this, [this]() {
    auto* menu = new QMenu(this);
    for (const PictureFormat format : kPictureFormats) {
      menu->addAction(QStringLiteral("Save as %1…").arg(pictureFormatName(format)), this,
                      [this, format]() { askPath(format); });
    }
    popUpBelow(menu, m_footSave);
  });
  auto* more = iconButton(theme(), "more", QStringLiteral("More for this chart"), bar);
  connect(more, &QToolButton::clicked, this, [this, more]() {
    auto* menu = new QMenu(this);
    fillFootMenu(menu);
    popUpBelow(menu, more);
  });
  bar->row()->addWidget(title);
  bar->row()->addWidget(m_footDetail, 1);
  bar->row()->addWidget(m_footEnlarge);
  bar->row()->addWidget(m_footSave);
  bar->row()->addWidget(more);
  layout->addWidget(bar);
  m_waterfall = new Waterfall(theme());
  m_waterfall->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(m_waterfall, &QWidget::customContextMenuRequested, this, [this](const QPoint& place) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fillFootMenu(menu);
    menu->popup(m_waterfall->mapToGlobal(place));
  });
  layout->addWidget(m_waterfall, 1);
  connect(m_waterfall, &Waterfall::opChosen, this, [this](int op) { choose(op, true); });
  return foot;
}

void ComparePage::fillFootMenu(QMenu* menu) {
  for (const PictureFormat format : kPictureFormats) {
    menu->addAction(QStringLiteral("Save as %1…").arg(pictureFormatName(format)), this,
                    [this, format]() { askPath(format); })
        ->setEnabled(m_waterfall->canSave());
  }
  menu->addAction(QStringLiteral("Copy picture"), this, &ComparePage::copyPicture)
      ->setEnabled(m_waterfall->canSave());
  menu->addSeparator();
  menu->addAction(m_enlarged ? QStringLiteral("Show the table") : QStringLiteral("Enlarge"), this,
                  [this]() { enlarge(!m_enlarged); });
}

void ComparePage::enlarge(bool enlarged) {
  if (m_enlarged == enlarged) return;
  m_enlarged = enlarged;
  showFoot();
  Q_EMIT undoChanged();  // the commands say something else now
}

void ComparePage::showFoot() {
  const bool small = height() < theme()->px(kLeastHeightForFoot);
  m_footEnlarge->setVisible(small || m_enlarged);
  m_footEnlarge->setText(m_enlarged ? QStringLiteral("Show the table") : QStringLiteral("Enlarge"));
  m_footEnlarge->setToolTip(m_enlarged ? QStringLiteral("Show the ops again")
                                       : QStringLiteral("Show this chart alone"));
  m_bar->setVisible(!m_enlarged);
  m_tableStack->setVisible(!m_enlarged);
  m_waterfall->setVisible(!small || m_enlarged);
  m_foot->setMinimumHeight(0);
  m_foot->setMaximumHeight(QWIDGETSIZE_MAX);
  if (m_enlarged) return;
  if (small) {
    m_foot->setMaximumHeight(m_foot->minimumSizeHint().height());
  } else {
    m_foot->setFixedHeight(theme()->px(height() >= theme()->px(kAmpleHeight) ? 300 : 220));
  }
}

void ComparePage::askPath(PictureFormat format) {
  if (!m_view) return;
  askPicturePath(this, QStringLiteral("Save where the difference comes from"),
                 pictureFileName(*m_view->b.view, QStringLiteral("difference"), format), format,
                 [this, format](const QString& path) { writePictureTo(path, format); });
}

void ComparePage::copyPicture() {
  if (m_view) QGuiApplication::clipboard()->setImage(m_waterfall->picture(PictureFormat::Png).image);
}

void ComparePage::writePictureTo(const QString& path, PictureFormat format) {
  if (!m_view) return;
  context().background->run(
      this,
      [picture = m_waterfall->picture(format), path]() {
        const base::Result<> written = writePicture(picture, path);
        return written ? QString() : format::errorLines(written.error());
      },
      [this, path](const QString& error) {
        m_saved->clearButtons();
        connect(m_saved->addButton(QStringLiteral("Close")), &QPushButton::clicked, m_saved, &QWidget::hide);
        if (error.isEmpty()) {
          m_saved->hide();
          Q_EMIT noticed(QStringLiteral("Saved %1").arg(format::shortPath(path)));
        } else {
          m_saved->showMessage(InfoBar::Kind::Error, QStringLiteral("Nothing was saved."), error);
        }
        Q_EMIT pictureWritten(path, error);
      });
}

}  // namespace opscope::ui
