// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/session_bridge.h"

#include <QCoreApplication>
#include <thread>
#include <utility>

#include "engine/session/targets.h"

namespace opscope::ui {

SessionBridge::SessionBridge(SessionDriverFactory factory, std::chrono::milliseconds stopLimit,
                             QObject* parent)
    : QObject(parent), m_stopLimit(stopLimit), m_factory(std::move(factory)) {
  m_stopTimer.setSingleShot(true);
  connect(&m_stopTimer, &QTimer::timeout, this, &SessionBridge::giveUp);
  startSession();
}

SessionBridge::~SessionBridge() {
  if (m_driver) releaseSession();
  for (const Released& released : m_released) released.gate->shut();
}

void SessionBridge::startSession() {
  m_gate = std::make_shared<EventGate>(this, [this](session::Event& event) { deliver(event); });
  m_driver = m_factory([gate = m_gate](session::Event event) { gate->post(std::move(event)); });
}

/// Ending a session waits for the kernel that runs, so a thread of its own does it.
void SessionBridge::releaseSession() {
  m_gate->redirect([this, request = m_current](session::Event& event) { takeRemains(event, request); });
  std::promise<void> ended;
  std::erase_if(m_released, [](const Released& each) {
    return each.ended.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  });
  m_released.push_back({std::move(m_gate), ended.get_future()});
  std::thread([driver = std::move(m_driver), done = std::move(ended)]() mutable {
    driver.reset();
    done.set_value();
  }).detach();
}

/// Of a session that was given up, only what it measured is of use.
void SessionBridge::takeRemains(session::Event& event, session::RequestId request) {
  if (event.request != request) return;
  const report::Document* document = nullptr;
  if (const auto* finished = std::get_if<session::ProfileFinished>(&event.body)) {
    document = &finished->document;
  } else if (const auto* failed = std::get_if<session::RequestFailed>(&event.body)) {
    document = &failed->partial;
  }
  if (document != nullptr && document->run && document->run->repeats > 0) Q_EMIT leftBehind(*document);
}

void SessionBridge::giveUp() {
  if (!m_busy) return;
  forgetSession();
  Q_EMIT requestFailed({{base::ErrorCode::Timeout, "The run did not stop: a kernel has not returned",
                         "It was asked to stop, and a kernel that runs in this program cannot be ended.",
                         "It goes on in the background until it returns. You can run and open again; times "
                         "measured meanwhile are disturbed by it."},
                        {},
                        {}});
}

bool SessionBridge::shutDown(std::chrono::milliseconds limit) {
  if (m_driver) {
    m_stopTimer.stop();
    releaseSession();
  }
  const auto end = std::chrono::steady_clock::now() + limit;
  bool allEnded = true;
  for (const Released& released : m_released) {
    allEnded = released.ended.wait_until(end) == std::future_status::ready && allEnded;
  }
  // No event loop turns any more.
  QCoreApplication::sendPostedEvents(this, QEvent::MetaCall);
  return allEnded;
}

void SessionBridge::begin(session::RequestId request, bool isRemote) {
  // Events of the new request are queued behind this call, so none can come before the number is known.
  m_current = request;
  m_busy = true;
  m_opening = false;
  m_stopTimer.stop();
  m_stopTimer.setInterval(isRemote ? m_stopLimit + kBoardStopTime : m_stopLimit);
}

void SessionBridge::open(session::OpenRequest request) {
  begin(m_driver->open(std::move(request)), false);
  m_opening = true;
}

void SessionBridge::run(session::RunRequest request) {
  const bool isRemote = session::isElsewhere(request.settings.target);
  begin(m_driver->run(std::move(request)), isRemote);
}

void SessionBridge::profile(session::ProfileRequest request) {
  const bool isRemote = session::isElsewhere(request.settings.target);
  begin(m_driver->profile(std::move(request)), isRemote);
}

void SessionBridge::diverge(session::DivergeRequest request) {
  const bool isRemote = session::isElsewhere(request.settings.target) ||
                        session::isElsewhere(request.targetA) || session::isElsewhere(request.targetB);
  begin(m_driver->diverge(std::move(request)), isRemote);
}

void SessionBridge::sweep(session::SweepRequest request) {
  const bool isRemote = session::isElsewhere(request.profile.settings.target);
  begin(m_driver->sweep(std::move(request)), isRemote);
}

void SessionBridge::stop() {
  if (!m_busy) return;
  m_driver->stop();
  if (!m_stopTimer.isActive()) m_stopTimer.start();
}

void SessionBridge::drop() {
  if (!m_busy || !m_driver) return;
  m_driver->stop();
  forgetSession();
}

void SessionBridge::forgetSession() {
  releaseSession();
  startSession();
  m_current = 0;
  finish();
  m_state = session::State::Idle;
}

void SessionBridge::finish() {
  m_busy = false;
  m_stopTimer.stop();
}

void SessionBridge::deliver(session::Event& event) {
  if (event.request != m_current) return;
  std::visit([this](auto& body) { handle(body); }, event.body);
}

void SessionBridge::handle(session::StateChanged& body) {
  m_state = body.state;
  Q_EMIT stateChanged(body.state);
}

void SessionBridge::handle(session::ExecutableOpened& body) {
  // A profile opens its file itself when the session had another one; only an open request ends here.
  if (m_opening) finish();
  Q_EMIT executableOpened(body.info);
}

void SessionBridge::handle(session::Progress& body) {
  Q_EMIT progressed(body);
}

void SessionBridge::handle(session::RunFinished& body) {
  finish();
  Q_EMIT runFinished(body);
}

void SessionBridge::handle(session::ProfileFinished& body) {
  finish();
  Q_EMIT profileFinished(body.document);
}

void SessionBridge::handle(session::DivergeFinished& body) {
  finish();
  Q_EMIT divergeFinished(body.divergence);
}

void SessionBridge::handle(session::SweepFinished& body) {
  finish();
  Q_EMIT sweepFinished(body);
}

void SessionBridge::handle(session::TimeFinished&) {
  finish();  // nothing here asks for it
}

void SessionBridge::handle(session::RequestFailed& body) {
  finish();
  Q_EMIT requestFailed(body);
}

void SessionBridge::handle(session::RequestCancelled&) {
  finish();
  Q_EMIT requestCancelled();
}

void SessionBridge::handle(session::BoardWaiting& body) {
  Q_EMIT boardAwaited(QString::fromStdString(body.words));
}

void SessionBridge::handle(session::RepeatsMeasured& body) {
  Q_EMIT repeatsMeasured(body.times);
}

}  // namespace opscope::ui
