// SPDX-License-Identifier: Apache-2.0
#include "tests/rpc/peer/peer_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "tests/rpc/scripted_server.h"

namespace opscope::rpc::test {

namespace {

constexpr std::chrono::seconds kStart{120};

std::string environment(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

/// Waits until somebody listens. A server takes one connection at a time, so this one is ended at once.
void awaitListening(const std::string& port, const PeerProcess& process) {
  const Deadline deadline = Deadline::after(kStart);
  while (!deadline.expired()) {
    if (Connection::connect("127.0.0.1", port, Deadline::after(std::chrono::seconds(5)))) {
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  FAIL() << "TVM's program does not listen: " << process.log();
}

std::vector<std::string> withPort(std::vector<std::string> arguments, const std::string& port) {
  const std::vector<std::string> own = {"--host", "127.0.0.1",  "--port",
                                        port,     "--port-end", std::to_string(std::stoi(port) + 1)};
  arguments.insert(arguments.begin(), own.begin(), own.end());
  return arguments;
}

}  // namespace

std::string peerVersion() {
  return environment("OPSCOPE_PEER_VERSION", "0.27.0");
}

bool peerIs021() {
  return peerVersion().starts_with("0.21");
}

PeerProcess::PeerProcess(const std::string& module, std::vector<std::string> arguments)
    : m_logFile(::testing::TempDir() + "opscope_peer_XXXXXX") {
  const int log = ::mkstemp(m_logFile.data());
  std::vector<std::string> words = {environment("OPSCOPE_PEER_PYTHON", OPSCOPE_TVM_PYTHON), "-B", "-m",
                                    module};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  m_process = ::fork();
  if (m_process == 0) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(log, STDOUT_FILENO);
    ::dup2(log, STDERR_FILENO);
    ::execv(pointers[0], pointers.data());
    ::_exit(127);
  }
  ::close(log);
}

PeerProcess::~PeerProcess() {
  ::kill(-m_process, SIGTERM);
  ::kill(-m_process, SIGKILL);
  ::waitpid(m_process, nullptr, 0);
  ::unlink(m_logFile.c_str());
}

std::string PeerProcess::log() const {
  std::ostringstream text;
  text << std::ifstream(m_logFile).rdbuf();
  return text.str();
}

StockServer::StockServer(const std::vector<std::string>& arguments)
    : m_port(freePort()), m_process("tvm.exec.rpc_server", withPort(arguments, m_port)) {
  // A connection that says nothing makes a server leave its tracker for a while; there the tracker tells when
  // it is ready.
  if (std::find(arguments.begin(), arguments.end(), "--tracker") == arguments.end()) {
    awaitListening(m_port, m_process);
  }
}

ConnectSettings StockServer::settings() const {
  ConnectSettings settings{.host = "127.0.0.1", .port = m_port};
  settings.answerTime = std::chrono::seconds(60);
  settings.closeTime = std::chrono::seconds(20);
  return settings;
}

std::unique_ptr<Client> StockServer::connect(const ConnectSettings& settings) const {
  auto client = Client::open(settings);
  EXPECT_TRUE(client) << client.error().message << "; " << client.error().detail << "\n" << log();
  return client ? *std::move(client) : nullptr;
}

StockTracker::StockTracker() : m_port(freePort()), m_process("tvm.exec.rpc_tracker", withPort({}, m_port)) {
  awaitListening(m_port, m_process);
}

}  // namespace opscope::rpc::test
