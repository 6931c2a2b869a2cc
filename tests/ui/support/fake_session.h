// SPDX-License-Identifier: GPL-3.0-or-later
// A session that is played by the test: it counts requests and posts what it is told to. GUI thread.
#pragma once

#include "ui/bridge/session_driver.h"

namespace opscope::ui::testing {

/// Outlives the driver; shared between the test and the session that the bridge owns.
struct FakeSessionState {
  SessionDriver::EventSink sink;
  session::RequestId last = 0;
  std::vector<session::ProfileRequest> profiles;
  std::vector<session::RunRequest> runs;
  std::vector<session::DivergeRequest> diverges;
  std::vector<session::OpenRequest> opens;
  std::vector<session::SweepRequest> sweeps;
  int stops = 0;
  std::shared_ptr<const session::ExecutableInfo> info;

  void post(session::EventBody body) { sink({last, std::move(body)}); }
  void post(session::RequestId request, session::EventBody body) { sink({request, std::move(body)}); }
};

class FakeSession : public SessionDriver {
 public:
  FakeSession(FakeSessionState& state, EventSink sink) : m_state(state) { m_state.sink = std::move(sink); }
  session::RequestId open(session::OpenRequest request) override {
    m_state.opens.push_back(std::move(request));
    return ++m_state.last;
  }
  session::RequestId run(session::RunRequest request) override {
    m_state.runs.push_back(std::move(request));
    return ++m_state.last;
  }
  session::RequestId profile(session::ProfileRequest request) override {
    m_state.profiles.push_back(std::move(request));
    return ++m_state.last;
  }
  session::RequestId diverge(session::DivergeRequest request) override {
    m_state.diverges.push_back(std::move(request));
    return ++m_state.last;
  }
  session::RequestId sweep(session::SweepRequest request) override {
    m_state.sweeps.push_back(std::move(request));
    return ++m_state.last;
  }
  void stop() override { ++m_state.stops; }

 private:
  FakeSessionState& m_state;
};

inline SessionDriverFactory fakeSessionFactory(FakeSessionState& state) {
  return [&state](SessionDriver::EventSink sink) {
    return std::make_unique<FakeSession>(state, std::move(sink));
  };
}

}  // namespace opscope::ui::testing
