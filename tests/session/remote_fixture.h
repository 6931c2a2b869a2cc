// SPDX-License-Identifier: Apache-2.0
// A server of ours in a process beside a test, and a session that asks it. Made and used on the test's
// thread.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/session/session.h"

extern char** environ;

namespace opscope::session::test {

/// opscope-server on a free port; ended with this object.
class Server {
 public:
  explicit Server(const std::vector<std::string>& options = {}) {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    std::string folder = (std::filesystem::temp_directory_path() / "opscope-remote-test-XXXXXX").string();
    m_folder = mkdtemp(folder.data());
    const std::string work = (m_folder / "work").string();
    const std::string cache = (m_folder / "cache").string();
    std::vector<std::string> words = {OPSCOPE_SERVER, "--port",      "0",  "--work-dir",
                                      work,           "--cache-dir", cache};
    words.insert(words.end(), options.begin(), options.end());
    std::vector<char*> arguments;
    for (std::string& word : words) {
      arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    EXPECT_EQ(posix_spawn(&m_process, OPSCOPE_SERVER, &actions, nullptr, arguments.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    std::string line;
    for (char letter = 0; read(ends[0], &letter, 1) == 1 && letter != '\n';) {
      line += letter;
    }
    close(ends[0]);
    m_port = line.substr(line.rfind(':') + 1);
  }
  ~Server() {
    end(SIGTERM);
    std::filesystem::remove_all(m_folder);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void end(int signal) {
    if (m_process > 0) {
      kill(m_process, signal);
      waitpid(m_process, nullptr, 0);
      m_process = 0;
    }
  }

  /// Lets it, and the processes of its sessions, stand still (SIGSTOP) and go on (SIGCONT).
  void tell(int signal) const {
    kill(m_process, signal);
    std::ifstream children("/proc/" + std::to_string(m_process) + "/task/" + std::to_string(m_process) +
                           "/children");
    for (pid_t child = 0; children >> child;) {
      kill(child, signal);
    }
  }

  std::string target() const { return "rpc://127.0.0.1:" + m_port; }
  const std::string& port() const { return m_port; }
  const std::filesystem::path& folder() const { return m_folder; }

 private:
  pid_t m_process = 0;
  std::string m_port;
  std::filesystem::path m_folder;
};

/// A session whose last event can be waited for.
class Asked {
 public:
  Asked()
      : m_session([this](Event event) {
          const std::lock_guard lock(m_mutex);
          if (const auto* changed = std::get_if<StateChanged>(&event.body)) {
            m_states.push_back(changed->state);
          } else if (const auto* progress = std::get_if<Progress>(&event.body)) {
            m_progress = *progress;
          } else if (auto* measured = std::get_if<RepeatsMeasured>(&event.body)) {
            m_times.push_back(std::move(measured->times));
          } else if (!std::holds_alternative<ExecutableOpened>(event.body)) {
            m_last = std::move(event.body);
          }
          m_changed.notify_all();
        }) {}

  Session& session() { return m_session; }

  EventBody wait() {
    std::unique_lock lock(m_mutex);
    EXPECT_TRUE(m_changed.wait_for(lock, std::chrono::seconds(60), [this] { return m_last.has_value(); }));
    EventBody body = m_last ? std::move(*m_last) : EventBody();
    m_last.reset();
    return body;
  }
  /// What was told of repeats before the last event.
  std::vector<report::RepeatTimes> times() {
    const std::lock_guard lock(m_mutex);
    return m_times;
  }
  Progress lastProgress() {
    const std::lock_guard lock(m_mutex);
    return m_progress;
  }
  void waitFor(State state) {
    std::unique_lock lock(m_mutex);
    m_changed.wait_for(lock, std::chrono::seconds(60),
                       [&] { return std::ranges::find(m_states, state) != m_states.end(); });
  }

 private:
  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::optional<EventBody> m_last;
  std::vector<State> m_states;
  std::vector<report::RepeatTimes> m_times;
  Progress m_progress;
  Session m_session;
};

class Remote : public testing::Test {
 protected:
  static void SetUpTestSuite() { initialiseEngine(); }

  static std::string fixture(const std::string& name) {
    return std::string(OPSCOPE_TEST_DATA) + "/vm/tvm027/" + name;
  }
  RunSettings settings() const {
    RunSettings settings;
    settings.target = m_server.target();
    settings.timeoutSeconds = 30;
    return settings;
  }
  ProfileRequest profileOf(const std::string& name, std::uint32_t repeats) const {
    ProfileRequest request;
    request.path = fixture(name);
    request.settings = settings();
    request.repeats = repeats;
    return request;
  }
  template <class Event>
  static Event expect(EventBody body) {
    if (const auto* failed = std::get_if<RequestFailed>(&body)) {
      ADD_FAILURE() << failed->error.message << "\n" << failed->error.detail;
    }
    auto* const event = std::get_if<Event>(&body);
    EXPECT_NE(event, nullptr) << "event " << body.index();
    return event != nullptr ? std::move(*event) : Event();
  }

  Server m_server;
  Asked m_asked;
};

}  // namespace opscope::session::test
