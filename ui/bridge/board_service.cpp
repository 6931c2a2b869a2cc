// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/board_service.h"

#include <utility>

#include "engine/session/secret_file.h"
#include "ui/bridge/gui_thread.h"

namespace opscope::ui {
namespace {

/// The system's look-up of a name cannot be ended; the window does not wait for it.
constexpr int kEndMs = 1000;

session::BoardCheck failedCheck(const QString& target, base::Error error) {
  session::BoardCheck check;
  check.target = target.toStdString();
  check.failure = std::move(error);
  return check;
}

session::BoardCheck runCheck(const BoardAddress& address, session::CheckOptions options) {
  const auto target = session::parseTarget(address.target.toStdString());
  if (!target) return failedCheck(address.target, target.error());
  auto secret = session::readSecretFile(address.secretFile.toStdString());
  if (!secret) return failedCheck(address.target, secret.error());
  options.secret = std::move(*secret);
  return session::checkBoard(*target, options);
}

base::Result<session::TrackerOverview> runSummary(const BoardAddress& address, const std::stop_token& stop) {
  OPSCOPE_TRY_ASSIGN(const session::Target target, session::parseTracker(address.target.toStdString()));
  session::OverviewOptions options;
  options.timeoutSeconds = address.timeoutSeconds;
  OPSCOPE_TRY_ASSIGN(options.secret, session::readSecretFile(address.secretFile.toStdString()));
  options.stop = stop;
  return session::readTracker(target, options);
}

}  // namespace

BoardService::BoardService(QObject* parent) : QObject(parent), m_pool(std::make_unique<QThreadPool>()) {
  m_pool->setMaxThreadCount(8);  // those that were given up may take a while to end
}

BoardService::~BoardService() {
  end(m_check);
  end(m_summary);
  // Work holds nothing of this object: what does not end in time goes on without it.
  if (!m_pool->waitForDone(kEndMs)) (void)m_pool.release();
}

quint64 BoardService::begin(Job& job) {
  end(job);
  job.stop = std::stop_source();
  job.busy = true;
  return job.number;
}

void BoardService::end(Job& job) {
  job.stop.request_stop();
  ++job.number;
  job.busy = false;
}

void BoardService::check(const BoardAddress& address) {
  const quint64 number = begin(m_check);
  const QPointer<BoardService> self(this);
  m_pool->start([self, number, address, stop = m_check.stop.get_token()]() {
    session::CheckOptions options;
    options.timeoutSeconds = address.timeoutSeconds;
    options.stop = stop;
    options.onStep = [&](const session::CheckStep& step) {
      onGuiThread(self, [number, step](BoardService* service) {
        if (number == service->m_check.number) Q_EMIT service->stepDone(step);
      });
    };
    const session::BoardCheck result = runCheck(address, std::move(options));
    onGuiThread(self, [number, result](BoardService* service) {
      if (number != service->m_check.number) return;
      service->m_check.busy = false;
      Q_EMIT service->checkFinished(result);
    });
  });
}

void BoardService::stopCheck() {
  end(m_check);
}

void BoardService::readTracker(const BoardAddress& address) {
  const quint64 number = begin(m_summary);
  const QPointer<BoardService> self(this);
  m_pool->start([self, number, address, stop = m_summary.stop.get_token()]() {
    const auto overview = runSummary(address, stop);
    onGuiThread(self, [number, overview](BoardService* service) {
      if (number != service->m_summary.number) return;
      service->m_summary.busy = false;
      if (overview) {
        Q_EMIT service->trackerRead(*overview);
      } else {
        Q_EMIT service->trackerFailed(overview.error());
      }
    });
  });
}

void BoardService::stopReading() {
  end(m_summary);
}

}  // namespace opscope::ui
