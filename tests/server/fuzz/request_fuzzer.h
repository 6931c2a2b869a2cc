// SPDX-License-Identifier: Apache-2.0
// Makes requests of a client that is partly right: true handles and addresses among wrong ones, true shapes
// with damaged bytes. One session a case.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/server/local_session.h"

namespace opscope::rpc::server::test {

class RequestFuzzer {
 public:
  explicit RequestFuzzer(std::uint64_t seed) : m_random(seed) {}

  /// One whole session. Empty, or what was wrong with the server's answers.
  std::string run();
  std::uint64_t answered() const { return m_answered; }
  std::uint64_t returned() const { return m_returned; }  ///< of these, how many were no exceptions

 private:
  std::uint64_t below(std::uint64_t end) { return m_random() % end; }
  bool chance(int percent) { return below(100) < static_cast<std::uint64_t>(percent); }
  std::uint64_t number();
  std::uint64_t handle();
  std::uint64_t address();
  std::string text();
  std::string view();
  std::string value();
  std::string values();
  std::string request();
  std::string fittingRequest();
  void learn(const std::string& body);

  std::mt19937_64 m_random;
  std::vector<std::uint64_t> m_known;  ///< handles and addresses that the session gave
  std::uint64_t m_answered = 0;
  std::uint64_t m_returned = 0;
};

}  // namespace opscope::rpc::server::test
