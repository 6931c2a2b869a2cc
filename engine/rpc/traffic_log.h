// SPDX-License-Identifier: Apache-2.0
// What a client sends and gets, one record a request and its answer, for who wants to look at it: a client
// has one only when its settings name one. The client's thread; the log outlives the client. Memory is
// bounded: beyond the most records only sums grow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/rpc/protocol.h"

namespace opscope::rpc {

/// A request with its answer, or several that are one copy. Times are nanoseconds of CLOCK_MONOTONIC.
struct TrafficRecord {
  std::int64_t beginNs = 0;  ///< its first byte was about to be sent
  std::int64_t endNs = 0;    ///< the last byte of its answer was here
  std::uint64_t bytesOut = 0;
  std::uint64_t bytesIn = 0;
  std::uint32_t requests = 1;
  std::uint32_t name = 0;   ///< index into names()
  std::uint32_t stage = 0;  ///< as told by enter()
  std::uint32_t repeat = 0;
  FrameCode code = FrameCode::None;  ///< None: connecting and the handshake
  bool upload = false;               ///< a call that uploads a file
  bool failed = false;               ///< an exception came back, or nothing
  bool transfer = false;             ///< bytes are what it is for
};

class TrafficLog {
 public:
  static constexpr std::size_t kMostRecords = 50'000;
  explicit TrafficLog(std::size_t mostRecords = kMostRecords) : m_most(mostRecords) {}

  /// What is asked from now on belongs to this. With `callsTransfer` what calls return are bytes to bring
  /// over.
  void enter(std::uint32_t stage, std::uint32_t repeat, bool callsTransfer = false);

  // By the client and its channel.
  void begin(std::int64_t nowNs);
  void connected(std::uint64_t bytesOut, std::uint64_t bytesIn, std::int64_t nowNs);
  /// What a handle is called. Servers use a handle again; the last name counts.
  void nameFunction(std::uint64_t handle, std::string_view name) { m_functions[handle] = indexOf(name); }
  /// The name of a function, empty when it is not known.
  std::string_view functionName(std::uint64_t handle) const;
  /// Tells of the next request: its name, and whether it uploads.
  void describe(std::string_view name, bool upload = false);
  /// A frame was put into the outbox.
  void asked(FrameCode code, std::uint64_t bytes);
  /// All that was asked and not sent is sent from now on.
  void sending(std::int64_t nowNs);
  /// The answer to the oldest request is here.
  void answered(std::uint64_t bytes, bool failed, std::int64_t nowNs);
  /// What went over the connection since it was made.
  void wire(std::uint64_t bytesOut, std::uint64_t bytesIn);

  /// While it lives, all requests make one record. Null: does nothing.
  class Group {
   public:
    explicit Group(TrafficLog* log) : m_log(log) {
      if (m_log != nullptr) m_log->m_grouping = true;
    }
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;
    ~Group() {
      if (m_log != nullptr) m_log->endGroup();
    }

   private:
    TrafficLog* m_log;
  };

  std::int64_t beginNs() const { return m_beginNs; }
  /// In the order of their answers.
  const std::vector<TrafficRecord>& records() const { return m_records; }
  const std::vector<std::string>& names() const { return m_names; }
  std::uint64_t notKept() const { return m_notKept; }
  std::uint64_t requests() const { return m_requests; }
  std::uint64_t bytesOut() const { return m_bytesOut; }
  std::uint64_t bytesIn() const { return m_bytesIn; }
  /// Time with a transfer underway, those that were not kept included.
  std::int64_t transferNs() const { return m_transferNs; }

 private:
  struct Open {
    TrafficRecord record;
    bool sent = false;
    bool grouped = false;
  };

  std::uint32_t indexOf(std::string_view name);
  void keep(const TrafficRecord& record);
  void endGroup();

  const std::size_t m_most;
  std::vector<TrafficRecord> m_records;
  std::vector<std::string> m_names;
  std::map<std::string, std::uint32_t, std::less<>> m_indices;  ///< of names
  std::map<std::uint64_t, std::uint32_t> m_functions;           ///< handle to name
  std::deque<Open> m_open;                                      ///< requests without an answer yet
  std::size_t m_sent = 0;                                       ///< of m_open
  std::optional<TrafficRecord> m_group;
  std::optional<std::uint32_t> m_described;
  bool m_describedUpload = false;
  bool m_grouping = false;
  bool m_callsTransfer = false;
  std::uint32_t m_stage = 0;
  std::uint32_t m_repeat = 0;
  std::int64_t m_beginNs = 0;
  std::int64_t m_transferNs = 0;
  std::int64_t m_transferEndNs = 0;
  std::uint64_t m_notKept = 0;
  std::uint64_t m_requests = 0;
  std::uint64_t m_bytesOut = 0;
  std::uint64_t m_bytesIn = 0;
};

}  // namespace opscope::rpc
