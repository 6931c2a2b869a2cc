// SPDX-License-Identifier: Apache-2.0
#include "app/cli/session_client.h"

#include <unistd.h>

#include <chrono>
#include <utility>

#include "app/cli/exit_status.h"
#include "app/cli/words.h"
#include "engine/session/function_choice.h"

namespace opscope::cli {

SessionClient::SessionClient(Console& console, Interrupts& interrupts)
    : m_console(console),
      m_interrupts(interrupts),
      m_session(
          [this](session::Event event) {
            const std::lock_guard lock(m_mutex);
            m_events.push_back(std::move(event));
            m_arrived.notify_one();
          },
          session::FunctionChoice::Refused) {}

SessionClient::~SessionClient() {
  m_interrupts.onFirst({});
}

Answer SessionClient::open(session::OpenRequest request) {
  return waitFor(m_session.open(std::move(request)), true);
}

Answer SessionClient::run(session::RunRequest request) {
  setOut(request.settings);
  return waitFor(m_session.run(std::move(request)));
}

Answer SessionClient::profile(session::ProfileRequest request) {
  setOut(request.settings);
  return waitFor(m_session.profile(std::move(request)));
}

Answer SessionClient::diverge(session::DivergeRequest request) {
  setOut(request.settings);
  for (const std::string* const target : {&request.targetA, &request.targetB}) {
    m_onBoard = m_onBoard || targetName(*target) != "local";
  }
  return waitFor(m_session.diverge(std::move(request)));
}

Answer SessionClient::time(session::TimeRequest request) {
  setOut(request.settings);
  return waitFor(m_session.time(std::move(request)));
}

Answer SessionClient::sweep(session::SweepRequest request) {
  setOut(request.profile.settings);
  return waitFor(m_session.sweep(std::move(request)));
}

void SessionClient::setOut(const session::RunSettings& settings) {
  m_onBoard = targetName(settings.target) != "local";
}

Answer SessionClient::waitFor(session::RequestId request, bool opening) {
  m_interrupts.onFirst([this] { m_session.stop(); });
  while (true) {
    std::optional<session::Event> arrived = next();
    if (!arrived) {
      leave();
    }
    session::Event& event = *arrived;
    if (event.request != request) {
      continue;
    }
    if (const auto* progress = std::get_if<session::Progress>(&event.body)) {
      m_console.showProgress(*progress);
    } else if (const auto* waiting = std::get_if<session::BoardWaiting>(&event.body)) {
      m_console.note(waiting->words);
    } else if (auto* opened = std::get_if<session::ExecutableOpened>(&event.body)) {
      if (opening) {
        return std::move(*opened);
      }
    } else if (const auto* changed = std::get_if<session::StateChanged>(&event.body)) {
      m_state = changed->state;
    } else {
      m_console.hideProgress();
      if (auto* ran = std::get_if<session::RunFinished>(&event.body)) {
        return std::move(*ran);
      }
      if (auto* profiled = std::get_if<session::ProfileFinished>(&event.body)) {
        return std::move(*profiled);
      }
      if (auto* diverged = std::get_if<session::DivergeFinished>(&event.body)) {
        return std::move(*diverged);
      }
      if (auto* timed = std::get_if<session::TimeFinished>(&event.body)) {
        return std::move(*timed);
      }
      if (auto* swept = std::get_if<session::SweepFinished>(&event.body)) {
        return std::move(*swept);
      }
      if (auto* failed = std::get_if<session::RequestFailed>(&event.body)) {
        return std::move(*failed);
      }
      return std::get<session::RequestCancelled>(std::move(event.body));
    }
  }
}

std::optional<session::Event> SessionClient::next() {
  constexpr std::chrono::milliseconds kLook{100};
  constexpr int kLooksAfterInterrupt = 5;
  const bool mayHang = m_state == session::State::Idle || m_state == session::State::Opening ||
                       (m_state == session::State::Preparing && !m_onBoard);
  std::unique_lock lock(m_mutex);
  for (int looks = 0; !m_arrived.wait_for(lock, kLook, [this] { return !m_events.empty(); });) {
    if (mayHang && m_interrupts.seen() && ++looks > kLooksAfterInterrupt) {
      return std::nullopt;
    }
  }
  session::Event event = std::move(m_events.front());
  m_events.pop_front();
  return event;
}

void SessionClient::leave() {
  m_console.note("interrupted before anything was measured");
  // The worker waits for bytes that may never come, so it cannot be joined. Nothing was written yet.
  _exit(kInterrupted);
}

int tellFailure(Console& console, const Interrupts& interrupts, const Answer& answer) {
  if (const auto* failed = std::get_if<session::RequestFailed>(&answer)) {
    console.error(failed->error);
    return failed->input == session::kFunctionInput ? kWrongUsage : kWorkFailed;
  }
  console.note("interrupted before anything was measured");
  if (const auto* cancelled = std::get_if<session::RequestCancelled>(&answer);
      cancelled != nullptr && !cancelled->kept.empty()) {
    console.note(cancelled->kept);
  }
  return interrupts.seen() ? kInterrupted : kWorkFailed;
}

}  // namespace opscope::cli
