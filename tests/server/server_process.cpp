// SPDX-License-Identifier: Apache-2.0
#include "tests/server/server_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <system_error>

namespace opscope::rpc::server::test {

namespace {

constexpr std::string_view kListening = "listening on 127.0.0.1:";

/// Starts the program with a pipe for its standard output, whose other end is given.
int launch(std::vector<std::string> words, pid_t& process) {
  std::vector<char*> pointers;
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  int ends[2];
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  process = ::fork();
  if (process == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(ends[1], STDOUT_FILENO);
    ::execv(pointers[0], pointers.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  return ends[0];
}

std::string firstLine(int descriptor) {
  std::string line;
  for (char character = 0; ::read(descriptor, &character, 1) == 1 && character != '\n';) {
    line += character;
  }
  return line;
}

}  // namespace

OwnFolder::OwnFolder() {
  std::string name = ::testing::TempDir() + "opscope_server_XXXXXX";
  EXPECT_NE(::mkdtemp(name.data()), nullptr);
  m_path = name;
}

OwnFolder::~OwnFolder() {
  std::error_code error;
  std::filesystem::remove_all(m_path, error);
}

ServerProcess::ServerProcess(const Settings& settings) {
  const char* program = std::getenv("OPSCOPE_SERVER");
  if (program == nullptr) {
    ADD_FAILURE() << "OPSCOPE_SERVER names no program";
    return;
  }
  std::vector<std::string> words = {program,
                                    "--port",
                                    "0",
                                    "--work-dir",
                                    m_folder.path() / "work",
                                    "--cache-dir",
                                    m_folder.path() / "cache"};
  const auto add = [&words](const char* option, const std::string& value) {
    if (!value.empty()) {
      words.insert(words.end(), {option, value});
    }
  };
  add("--key", settings.key);
  add("--tracker", settings.tracker);
  add("--secret-file", settings.secret.empty() ? "" : writeSecret(settings.secret));
  const int output = launch(std::move(words), m_process);
  const std::string line = firstLine(output);
  ::close(output);
  const std::size_t found = line.find(kListening);
  if (found == std::string::npos) {
    ADD_FAILURE() << "the server does not start: " << line;
    return;
  }
  m_port = std::stoi(line.substr(found + kListening.size()));
}

ServerProcess::~ServerProcess() {
  if (m_process <= 0) {
    return;
  }
  ::kill(m_process, SIGTERM);
  int status = 0;
  ::waitpid(m_process, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "the server ended with status " << status;
}

std::string ServerProcess::writeSecret(std::string_view secret) const {
  const std::filesystem::path file = m_folder.path() / "secret";
  std::ofstream(file) << secret << '\n';
  ::chmod(file.c_str(), 0600);
  return file;
}

ConnectSettings ServerProcess::settings() const {
  ConnectSettings settings{.host = "127.0.0.1", .port = std::to_string(m_port)};
  settings.connectTime = settings.answerTime = settings.callTime = std::chrono::seconds(60);
  return settings;
}

}  // namespace opscope::rpc::server::test
