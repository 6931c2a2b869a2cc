// SPDX-License-Identifier: Apache-2.0
// Requests on a board that our own server serves, in a process beside this one.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <thread>

#include "engine/session/board_check.h"
#include "engine/session/remote_profile.h"
#include "engine/session/session.h"

extern char** environ;

namespace opscope::session {

namespace {

using testing::HasSubstr;

/// opscope-server on a free port; ended with this object.
class Server {
 public:
  Server() {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    m_folder = std::filesystem::temp_directory_path() / ("opscope-remote-test-" + std::to_string(getpid()));
    std::filesystem::create_directories(m_folder);
    const std::string work = (m_folder / "work").string();
    const std::string cache = (m_folder / "cache").string();
    std::string words[] = {OPSCOPE_SERVER, "--port", "0", "--work-dir", work, "--cache-dir", cache};
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

  std::string target() const { return "rpc://127.0.0.1:" + m_port; }
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
          } else if (!std::holds_alternative<Progress>(event.body) &&
                     !std::holds_alternative<ExecutableOpened>(event.body)) {
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

std::vector<std::string> callNames(const report::Run& run) {
  std::vector<std::string> names;
  for (const report::Call& call : run.calls) {
    names.push_back(run.names[call.name] + (call.shapes == report::kNone ? "" : run.shapes[call.shapes]));
  }
  return names;
}

TEST_F(Remote, ARunGivesWhatALocalOneDoes) {
  RunRequest request;
  request.path = fixture("cnn.so");
  request.returnsArchive = true;
  m_asked.session().run(request);
  const auto here = expect<RunFinished>(m_asked.wait());
  request.settings = settings();
  m_asked.session().run(request);
  const auto there = expect<RunFinished>(m_asked.wait());
  ASSERT_FALSE(here.outputs.empty());
  ASSERT_EQ(there.outputs.size(), here.outputs.size());
  EXPECT_EQ(there.outputs[0].preview, here.outputs[0].preview);
  EXPECT_EQ(there.archive, here.archive);
}

TEST_F(Remote, AProfileHoldsAllThatALocalOneDoes) {
  ProfileRequest request = profileOf("transformer.so", 4);
  request.plan.inputs.dimensions["seq"] = 8;
  request.recordMemory = request.recordLanes = true;
  request.collectors = {"process"};
  m_asked.session().profile(request);
  const auto there = expect<ProfileFinished>(m_asked.wait());
  request.settings.target = "local";
  m_asked.session().profile(request);
  const auto here = expect<ProfileFinished>(m_asked.wait());
  ASSERT_TRUE(there.document.run && here.document.run);
  const report::Run& run = *there.document.run;
  EXPECT_EQ(callNames(run), callNames(*here.document.run));
  EXPECT_EQ(run.calls, here.document.run->calls);
  EXPECT_EQ(run.repeats, 4U);
  EXPECT_EQ(run.inputs, here.document.run->inputs);
  EXPECT_EQ(run.executableHash, here.document.run->executableHash);
  EXPECT_TRUE(run.memory && run.lanes && run.noise && run.overhead);
  EXPECT_FALSE(run.counters.empty());
  ASSERT_TRUE(run.remote);
  EXPECT_EQ(run.remote->way, "recorder");
  EXPECT_EQ(run.target, m_server.target());
}

TEST_F(Remote, AScenarioKeepsItsStateOnTheBoard) {
  RunRequest request;
  request.path = fixture("tiny_llama.so");
  request.plan.scenarioFile = fixture("tiny_llama.scenario.json");
  request.plan.inputs.arraysFile = fixture("tiny_llama.npz");
  m_asked.session().run(request);
  const auto here = expect<RunFinished>(m_asked.wait());
  request.settings = settings();
  m_asked.session().run(request);
  const auto there = expect<RunFinished>(m_asked.wait());
  ASSERT_EQ(there.outputs.size(), here.outputs.size());
  for (std::size_t i = 0; i < here.outputs.size(); ++i) {
    EXPECT_EQ(there.outputs[i].path, here.outputs[i].path);
    EXPECT_EQ(there.outputs[i].preview, here.outputs[i].preview);
  }
}

TEST_F(Remote, TimeIsTakenByTheBoard) {
  TimeRequest request;
  request.path = fixture("cnn.so");
  request.settings = settings();
  request.timing.number = 3;
  request.timing.repeat = 4;
  m_asked.session().time(request);
  const auto timed = expect<TimeFinished>(m_asked.wait());
  ASSERT_EQ(timed.repeats.size(), 4U);
  EXPECT_GT(timed.repeats[0].nsPerCall, 0);
  EXPECT_EQ(timed.repeats[0].calls, 3);
}

TEST_F(Remote, NothingIsLeftBehind) {
  m_asked.session().profile(profileOf("cnn.so", 2));
  expect<ProfileFinished>(m_asked.wait());
  const auto isEmpty = [&] {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(m_server.folder() / "work")) {
      if (entry.path().extension() == ".so") {
        return false;
      }
    }
    return true;
  };
  for (int i = 0; i < 100 && !isEmpty(); ++i) {  // the server clears up behind the session
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_TRUE(isEmpty());
}

TEST_F(Remote, StopKeepsWhatWasMeasured) {
  m_asked.session().profile(profileOf("cnn.so", 1'000'000));
  m_asked.waitFor(State::Measuring);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  m_asked.session().stop();
  const auto finished = expect<ProfileFinished>(m_asked.wait());
  ASSERT_TRUE(finished.document.run);
  EXPECT_GT(finished.document.run->repeats, 0U);
  EXPECT_EQ(finished.document.run->failure, "Stopped on request.");
}

TEST_F(Remote, ALostBoardLeavesWhatCameOver) {
  m_asked.session().profile(profileOf("cnn.so", 1'000'000));
  m_asked.waitFor(State::Measuring);
  std::this_thread::sleep_for(std::chrono::seconds(3));
  m_server.end(SIGKILL);
  const EventBody body = m_asked.wait();
  const auto* const failed = std::get_if<RequestFailed>(&body);
  ASSERT_NE(failed, nullptr);
  ASSERT_TRUE(failed->partial.run) << failed->error.message;
  EXPECT_GT(failed->partial.run->repeats, 0U);
  EXPECT_NE(failed->partial.run->failure, "");
}

TEST_F(Remote, WhatCannotBeIsToldInWords) {
  RunRequest request;
  request.path = fixture("cnn.so");
  request.settings = settings();
  request.checkFinite = true;
  m_asked.session().run(request);
  EXPECT_THAT(std::get<RequestFailed>(m_asked.wait()).error.message,
              HasSubstr("cannot be looked at on a board"));
  request.checkFinite = false;
  request.settings.plugins = {"some.so"};
  m_asked.session().run(request);
  EXPECT_THAT(std::get<RequestFailed>(m_asked.wait()).error.message, HasSubstr("Plugins"));
  request.settings.plugins.clear();
  request.settings.target = "rpc://127.0.0.1:1";
  m_asked.session().run(request);
  EXPECT_THAT(std::get<RequestFailed>(m_asked.wait()).error.message, HasSubstr("127.0.0.1:1"));
  request.settings.target = "nonsense";
  m_asked.session().run(request);
  EXPECT_THAT(std::get<RequestFailed>(m_asked.wait()).error.message, HasSubstr("is no target"));
}

TEST_F(Remote, KernelsAreTimedOneByOneWhereNothingElseCan) {
  const auto board = RemoteBoard::open(*parseTarget(m_server.target()), {});
  ASSERT_TRUE(board) << board.error().message;
  const auto opened = openExecutable(fixture("cnn.so"));
  ASSERT_TRUE(opened);
  const auto sequence = CallSequence::prepare({}, *(*opened)->info);
  ASSERT_TRUE(sequence);
  const ProfileRequest request = profileOf("cnn.so", 3);
  const RemoteProfile profile{**board, **opened, *sequence, request, {}, {}, {}};
  const auto program = RemoteProgram::load(**board, **opened, request.settings, RemoteMachine::kPlain, {});
  ASSERT_TRUE(program) << program.error().message;
  const profile::Measurement measured = recordByKernels(profile, **program);
  ASSERT_FALSE(measured.error) << measured.error->message << measured.error->detail;
  ASSERT_TRUE(measured.run);
  EXPECT_EQ(measured.run->calls.size(), 10U);
  EXPECT_EQ(measured.run->ownNs.size(), 30U);
  EXPECT_THAT(measured.run->ownNs, testing::Each(testing::Gt(0)));
  EXPECT_THAT(measured.run->warnings.front().message, HasSubstr("each timed on its own"));
}

TEST_F(Remote, CallsAreComparedWithThoseOfALocalRun) {
  for (const char* const name : {"chain.so", "cnn.so", "mlp_const.so"}) {
    SCOPED_TRACE(name);
    DivergeRequest request;
    request.pathA = request.pathB = fixture(name);
    m_asked.session().diverge(request);
    const Divergence here = expect<DivergeFinished>(m_asked.wait()).divergence;
    request.targetB = m_server.target();
    request.settings.timeoutSeconds = 30;
    m_asked.session().diverge(request);
    const Divergence there = expect<DivergeFinished>(m_asked.wait()).divergence;
    EXPECT_FALSE(there.differs());
    EXPECT_EQ(there.targetB, m_server.target());
    EXPECT_THAT(there.notes, testing::IsEmpty());
    EXPECT_THAT(there.onlyA, testing::IsEmpty());
    EXPECT_THAT(there.onlyB, testing::IsEmpty());
    ASSERT_EQ(there.calls.size(), here.calls.size());
    EXPECT_FALSE(there.calls.empty());
    EXPECT_EQ(there.keptBytes, here.keptBytes);
    for (std::size_t i = 0; i < here.calls.size(); ++i) {
      EXPECT_EQ(there.calls[i].b.sequence, here.calls[i].b.sequence);
      EXPECT_EQ(there.calls[i].b.instruction, here.calls[i].b.instruction);
      EXPECT_EQ(there.calls[i].b.function, here.calls[i].b.function);
      ASSERT_EQ(there.calls[i].outputs.size(), here.calls[i].outputs.size());
    }
  }
}

TEST_F(Remote, AComparisonThatCannotBeNamesItsSide) {
  DivergeRequest request;
  request.pathA = request.pathB = fixture("mlp_compiled.so");
  request.targetB = m_server.target();
  m_asked.session().diverge(request);
  EXPECT_THAT(std::get<RequestFailed>(m_asked.wait()).error.message,
              testing::AllOf(testing::StartsWith("B, on "), HasSubstr("compiled to machine code")));
  request.pathA = request.pathB = fixture("mlp.so");
  request.targetA = "rpc://127.0.0.1:1";
  m_asked.session().diverge(request);
  EXPECT_THAT(std::get<RequestFailed>(m_asked.wait()).error.message,
              testing::StartsWith("A, on rpc://127.0.0.1:1"));
  request.targetA = m_server.target();
  request.settings.device = "cuda:0";
  m_asked.session().diverge(request);
  EXPECT_THAT(std::get<RequestFailed>(m_asked.wait()).error.message, HasSubstr("CPU only"));
}

TEST_F(Remote, CheckGoesAllTheWay) {
  const BoardCheck check = checkBoard(*parseTarget(m_server.target()), {});
  EXPECT_TRUE(check.passed()) << check.failure->message;
  EXPECT_EQ(check.steps.size(), 10U);
  EXPECT_THAT(check.way, HasSubstr("opscope-server"));
}

}  // namespace

}  // namespace opscope::session
