// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/session_bridge.h"

#include <QMetaObject>

namespace opscope::ui {

SessionBridge::SessionBridge(const SessionDriverFactory& factory, QObject* parent) : QObject(parent) {
  // The session is a member and joins its worker when destroyed, so `this` outlives every call of the sink;
  // calls still queued then are dropped with their context object.
  m_driver = factory([this](session::Event event) {
    auto held = std::make_shared<session::Event>(std::move(event));
    QMetaObject::invokeMethod(
        this, [this, held]() { deliver(held); }, Qt::QueuedConnection);
  });
}

SessionBridge::~SessionBridge() = default;

void SessionBridge::begin(session::RequestId request) {
  // Events of the new request are queued behind this call, so none can come before the number is known.
  m_current = request;
  m_busy = true;
}

void SessionBridge::open(session::OpenRequest request) {
  m_opening = true;
  begin(m_driver->open(std::move(request)));
}

void SessionBridge::run(session::RunRequest request) {
  m_opening = false;
  begin(m_driver->run(std::move(request)));
}

void SessionBridge::profile(session::ProfileRequest request) {
  m_opening = false;
  begin(m_driver->profile(std::move(request)));
}

void SessionBridge::stop() {
  if (m_busy) m_driver->stop();
}

void SessionBridge::deliver(const std::shared_ptr<session::Event>& event) {
  if (event->request != m_current) return;
  std::visit([this](auto& body) { handle(body); }, event->body);
}

void SessionBridge::handle(session::StateChanged& body) {
  m_state = body.state;
  Q_EMIT stateChanged(body.state);
}

void SessionBridge::handle(session::ExecutableOpened& body) {
  // A profile opens its file itself when the session had another one; only an open request ends here.
  if (m_opening) m_busy = false;
  Q_EMIT executableOpened(body.info);
}

void SessionBridge::handle(session::Progress& body) {
  Q_EMIT progressed(body);
}

void SessionBridge::handle(session::RunFinished& body) {
  m_busy = false;
  Q_EMIT runFinished(body);
}

void SessionBridge::handle(session::ProfileFinished& body) {
  m_busy = false;
  Q_EMIT profileFinished(body.document);
}

void SessionBridge::handle(session::RequestFailed& body) {
  m_busy = false;
  Q_EMIT requestFailed(body.error, body.partial);
}

void SessionBridge::handle(session::RequestCancelled&) {
  m_busy = false;
  Q_EMIT requestCancelled();
}

}  // namespace opscope::ui
