// SPDX-License-Identifier: Apache-2.0
// Runs the cases: our client on one end of a pair of sockets, the bytes on the other.
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <thread>

#include "engine/rpc/remote_calls.h"
#include "engine/rpc/tracker_messages.h"
#include "tests/rpc/fuzz/reply_cases.h"

namespace opscope::rpc::test {

namespace {

using namespace std::chrono_literals;

/// No wait of a case is long: the server's end follows its last byte. Longer is a finding.
constexpr std::chrono::milliseconds kTime = 10s;
constexpr std::size_t kBytesAtOnce = std::size_t{100} << 10;  // which the pair holds without a reader

/// Sends the bytes and reads what comes until the client is gone.
class Server {
 public:
  Server(int socket, const std::string& bytes) : m_connection(Connection::adopt(socket, "the client")) {
    if (bytes.size() < kBytesAtOnce) {
      static_cast<void>(m_connection->send(bytes, Deadline::after(kTime)));
      m_connection->finishSending();
    } else {
      m_thread = std::thread([this, &bytes] {
        static_cast<void>(m_connection->send(bytes, Deadline::after(kTime)));
        m_connection->finishSending();
      });
    }
  }
  ~Server() {
    m_connection->abort();
    if (m_thread.joinable()) {
      m_thread.join();
    }
  }

 private:
  std::unique_ptr<Connection> m_connection;
  std::thread m_thread;
};

/// A step's end: nothing, or its error.
using Ended = std::optional<base::Error>;

template <class T>
Ended endOf(const base::Result<T>& result) {
  return result ? Ended() : Ended(result.error());
}

class Steps {
 public:
  explicit Steps(Client& client) : m_client(client) {}

  Ended run(Step step) {
    constexpr FunctionHandle kFunction{0x42};
    switch (step) {
      case Step::Call:
      case Step::CallForBytes:
        return call(kFunction);
      case Step::CallForTensor: {
        auto result = m_client.call(kFunction, {std::int64_t{1}});
        return result ? endOf(tensorOf(m_client, *std::move(result), "a call")) : endOf(result);
      }
      case Step::CallAll:
        return callAll(kFunction);
      case Step::GlobalFunction:
        return endOf(globalFunction(m_client, "name"));
      case Step::Names:
        return endOf(globalNames(m_client));
      case Step::Allocate:
        return endOf(m_client.allocate(m_tensor));
      case Step::CopyTo:
        return endOf(m_client.copyTo(m_tensor, m_bytes));
      case Step::CopyFrom:
        return endOf(m_client.copyFrom(m_tensor, m_bytes));
      case Step::Attribute:
        return endOf(m_client.deviceAttribute({kDLCPU, 0}, DeviceAttribute::Name));
      case Step::Free:
        m_client.free(0x77);
        return {};
    }
    return {};
  }

 private:
  Ended call(FunctionHandle function) {
    const auto result = m_client.call(function, {std::string("argument")});
    if (result) {
      m_seen += result->bytes().value_or("").size();  // reads where the bytes lie
      discard(m_client, *result);
    }
    return endOf(result);
  }
  Ended callAll(FunctionHandle function) {
    const std::vector<CallRequest> requests(5, CallRequest{function, {std::int64_t{1}}});
    return endOf(m_client.callAll(requests));
  }

  Client& m_client;
  const TensorView m_tensor{0x1000, {kDLCPU, 0}, {kDLUInt, 8, 1}, {16}, 0};
  std::array<std::byte, 16> m_bytes{};
  std::size_t m_seen = 0;
};

std::string wrongIn(const base::Error& error) {
  if (error.message.empty()) {
    return "an error without words";
  }
  return error.code == base::ErrorCode::Internal || error.code == base::ErrorCode::Cancelled
             ? "an error of the wrong kind: " + error.message
             : std::string();
}

/// The session as a whole: an error is one that is allowed, and only errors of the session end it.
ReplyOutcome use(Client& client, const std::vector<Step>& steps) {
  ReplyOutcome outcome{.opened = true};
  Steps runner(client);
  for (const Step step : steps) {
    const Ended error = runner.run(step);
    if (error.has_value()) {
      outcome.finding = wrongIn(*error);
    }
    if (client.failure().has_value() || !outcome.finding.empty()) {
      return outcome;
    }
  }
  outcome.finished = true;
  return outcome;
}

}  // namespace

ReplyOutcome runReplyCase(const ReplyCase& replies) {
  int pair[2] = {};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
    return {.finding = "no pair of sockets"};
  }
  const auto begin = std::chrono::steady_clock::now();
  ReplyOutcome outcome;
  {
    const Server server(pair[1], replies.bytes);
    ConnectSettings settings{.host = "fuzz", .port = "1"};
    settings.answerTime = settings.callTime = settings.copyTime = settings.closeTime = 2 * kTime;
    auto client = Client::over(Connection::adopt(pair[0], "the server"), settings);
    if (client) {
      outcome = use(**client, replies.steps);
      client->reset();
    } else {
      outcome.finding = wrongIn(client.error());
    }
  }
  if (outcome.finding.empty() && std::chrono::steady_clock::now() - begin > kTime) {
    outcome.finding = "it took too long";
  }
  return outcome;
}

std::string checkDecoders(std::string_view bytes) {
  for (const Encoding encoding : {Encoding::Legacy, Encoding::Tvm021, Encoding::Tvm022}) {
    const auto frame = parseFrame(encoding, bytes, BlobMode::View);
    if (!frame) {
      continue;
    }
    FrameWriter writer;
    if (!writer.write(encoding, *frame)) {
      return "a frame that was read cannot be written";
    }
    const std::string text = writer.text();
    const auto again = parseFrame(encoding, std::string_view(text).substr(sizeof(std::uint64_t)));
    if (!again || again->values.size() != frame->values.size()) {
      return "a frame that was written cannot be read";
    }
  }
  const auto answer = readTrackerAnswer(bytes, "tracker");
  return answer && !answer->summary.has_value() && !answer->board.has_value()
             ? "a tracker's answer that is none"
             : "";
}

}  // namespace opscope::rpc::test
