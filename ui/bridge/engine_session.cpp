// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/session/session.h"
#include "ui/bridge/session_driver.h"

namespace opscope::ui {
namespace {

class EngineSession : public SessionDriver {
 public:
  explicit EngineSession(EventSink sink) : m_session(std::move(sink)) {}
  session::RequestId open(session::OpenRequest request) override {
    return m_session.open(std::move(request));
  }
  session::RequestId run(session::RunRequest request) override { return m_session.run(std::move(request)); }
  session::RequestId profile(session::ProfileRequest request) override {
    return m_session.profile(std::move(request));
  }
  session::RequestId diverge(session::DivergeRequest request) override {
    return m_session.diverge(std::move(request));
  }
  session::RequestId sweep(session::SweepRequest request) override {
    return m_session.sweep(std::move(request));
  }
  void stop() override { m_session.stop(); }

 private:
  session::Session m_session;
};

}  // namespace

SessionDriverFactory engineSessionFactory() {
  return [](SessionDriver::EventSink sink) { return std::make_unique<EngineSession>(std::move(sink)); };
}

}  // namespace opscope::ui
