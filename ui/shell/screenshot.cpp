// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/screenshot.h"

#include <QBuffer>
#include <QTimer>

#include "engine/base/atomic_file.h"
#include "ui/views/charts/sharp_plots.h"

namespace opscope::ui {
namespace {

/// Layouts and queued refreshes settle within a few turns of the event loop.
constexpr int kSettleMs = 120;
constexpr int kRounds = 5;

QString words(const base::Error& error) {
  QString text = QString::fromStdString(error.message);
  if (!error.detail.empty()) text += QStringLiteral("\n  ") + QString::fromStdString(error.detail);
  if (!error.hint.empty()) text += QStringLiteral("\n  hint: ") + QString::fromStdString(error.hint);
  return text;
}

}  // namespace

Screenshot::Screenshot(MainWindow* window, Workspace* workspace, const ScreenshotPlan& plan, QObject* parent)
    : QObject(parent), m_window(window), m_workspace(workspace), m_plan(plan) {
  // Queued: the window's own slots come first, and nothing is taken within a signal.
  connect(workspace, &Workspace::statusChanged, this, &Screenshot::onStatus, Qt::QueuedConnection);
  connect(workspace, &Workspace::failureChanged, this, &Screenshot::onFailure, Qt::QueuedConnection);
}

void Screenshot::start() {
  m_window->resize(m_plan.size);
  m_window->show();
  if (!m_window->showPageById(m_plan.page)) {
    m_done = true;
    Q_EMIT finished(QStringLiteral("there is no page \"%1\"; pages are %2")
                        .arg(m_plan.page, m_window->pageIds().join(QLatin1String(", "))));
    return;
  }
  if (m_plan.files.isEmpty()) {
    finishLater();
  } else {
    m_window->openNamed(m_plan.files);
  }
}

void Screenshot::onFailure() {
  if (m_done || !m_workspace->failure()) return;
  m_done = true;
  Q_EMIT finished(words(m_workspace->failure()->error));
}

void Screenshot::onStatus() {
  if (m_done || m_plan.files.isEmpty() || m_workspace->isOpening() || m_workspace->isRunning()) return;
  if (m_workspace->failure()) return;
  if (m_workspace->run() || (m_workspace->executable() && !m_plan.run)) {
    finishLater();
    return;
  }
  if (!m_workspace->executable()) return;
  if (!m_started && m_workspace->canRun()) {
    m_started = true;
    m_workspace->profile();
  } else if (!m_workspace->scenario()->isValid()) {
    m_done = true;
    Q_EMIT finished(m_workspace->scenario()->firstProblem());
  } else if (!m_workspace->scenario()->isChosen() && !m_workspace->form()->isValid()) {
    m_done = true;
    Q_EMIT finished(m_workspace->form()->firstProblem());
  } else if (m_started) {
    m_done = true;
    Q_EMIT finished(QStringLiteral("the run was stopped"));
  }
}

void Screenshot::finishLater() {
  m_done = true;
  QTimer::singleShot(kSettleMs, this, &Screenshot::take);
}

void Screenshot::take() {
  // What comes from the background may ask for more of it, and for a new layout.
  for (int round = 0; round < kRounds; ++round) {
    m_workspace->background()->waitForDone(10000);
    if (m_workspace->store() != nullptr) m_workspace->store()->waitForDone(10000);
    QCoreApplication::processEvents();
  }
  QImage image(m_window->size() * m_plan.scale, QImage::Format_RGB32);
  image.setDevicePixelRatio(m_plan.scale);
  const SharpPlots sharp(m_window, m_plan.scale);
  m_window->render(&image);
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  image.save(&buffer, "PNG");
  const auto written = base::writeFileAtomically(
      m_plan.picture.toStdString(), std::string_view(bytes.constData(), std::size_t(bytes.size())));
  Q_EMIT finished(written ? QString() : words(written.error()));
}

}  // namespace opscope::ui
