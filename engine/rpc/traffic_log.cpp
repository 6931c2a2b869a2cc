// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/traffic_log.h"

#include <algorithm>
#include <utility>

#include "engine/rpc/frames.h"

namespace opscope::rpc {

namespace {

bool isFree(FrameCode code) {
  return code == FrameCode::FreeHandle || code == FrameCode::FreeData;
}

bool isCopy(FrameCode code) {
  return code == FrameCode::CopyToRemote || code == FrameCode::CopyFromRemote;
}

/// `more` as a part of `whole`.
void join(TrafficRecord& whole, const TrafficRecord& more) {
  whole.beginNs = std::min(whole.beginNs, more.beginNs);
  whole.endNs = std::max(whole.endNs, more.endNs);
  whole.bytesOut += more.bytesOut;
  whole.bytesIn += more.bytesIn;
  whole.requests += more.requests;
  whole.failed = whole.failed || more.failed;
}

}  // namespace

void TrafficLog::enter(std::uint32_t stage, std::uint32_t repeat, bool callsTransfer) {
  m_stage = stage;
  m_repeat = repeat;
  m_callsTransfer = callsTransfer;
}

std::uint32_t TrafficLog::indexOf(std::string_view name) {
  const auto known = m_indices.find(name);
  if (known != m_indices.end()) {
    return known->second;
  }
  const auto index = static_cast<std::uint32_t>(m_names.size());
  m_names.emplace_back(name);
  m_indices.emplace(name, index);
  return index;
}

std::string_view TrafficLog::functionName(std::uint64_t handle) const {
  const auto known = m_functions.find(handle);
  return known == m_functions.end() ? std::string_view() : std::string_view(m_names[known->second]);
}

void TrafficLog::begin(std::int64_t nowNs) {
  if (m_beginNs == 0) {
    m_beginNs = nowNs;
  }
}

void TrafficLog::connected(std::uint64_t bytesOut, std::uint64_t bytesIn, std::int64_t nowNs) {
  TrafficRecord record;
  record.beginNs = m_beginNs;
  record.endNs = nowNs;
  record.bytesOut = bytesOut;
  record.bytesIn = bytesIn;
  record.requests = 0;
  record.name = indexOf("connect");
  record.stage = m_stage;
  record.repeat = m_repeat;
  keep(record);
}

void TrafficLog::describe(std::string_view name, bool upload) {
  m_described = indexOf(name);
  m_describedUpload = upload;
}

void TrafficLog::asked(FrameCode code, std::uint64_t bytes) {
  Open open;
  open.record.code = code;
  open.record.bytesOut = bytes;
  const bool described = m_described && (code == FrameCode::Call || code == FrameCode::GetGlobalFunction);
  open.record.name = described ? *m_described : indexOf(frameCodeName(code));
  open.record.upload = described && m_describedUpload;
  open.record.stage = m_stage;
  open.record.repeat = m_repeat;
  open.record.transfer = isCopy(code) || open.record.upload || (code == FrameCode::Call && m_callsTransfer);
  open.grouped = m_grouping;
  m_described.reset();
  m_open.push_back(open);
  ++m_requests;
}

void TrafficLog::sending(std::int64_t nowNs) {
  for (; m_sent < m_open.size(); ++m_sent) {
    m_open[m_sent].record.beginNs = nowNs;
    m_open[m_sent].sent = true;
  }
}

void TrafficLog::answered(std::uint64_t bytes, bool failed, std::int64_t nowNs) {
  if (m_sent == 0) {  // an answer that nobody asked for
    return;
  }
  Open open = m_open.front();
  m_open.pop_front();
  --m_sent;
  open.record.bytesIn = bytes;
  open.record.failed = failed;
  open.record.endNs = nowNs;
  if (!open.grouped) {
    keep(open.record);
  } else if (m_group) {
    join(*m_group, open.record);
  } else {
    m_group = open.record;
  }
}

void TrafficLog::endGroup() {
  m_grouping = false;
  if (m_group) {
    keep(*std::exchange(m_group, std::nullopt));
  }
}

void TrafficLog::wire(std::uint64_t bytesOut, std::uint64_t bytesIn) {
  m_bytesOut = bytesOut;
  m_bytesIn = bytesIn;
}

void TrafficLog::keep(const TrafficRecord& record) {
  if (record.transfer && record.endNs > m_transferEndNs) {
    m_transferNs += record.endNs - std::max(record.beginNs, m_transferEndNs);
    m_transferEndNs = record.endNs;
  }
  // Frees go out many at a time, and nothing waits for them.
  if (isFree(record.code) && !m_records.empty()) {
    TrafficRecord& last = m_records.back();
    if (isFree(last.code) && last.stage == record.stage && last.repeat == record.repeat &&
        last.beginNs == record.beginNs) {
      join(last, record);
      return;
    }
  }
  if (m_records.size() < m_most) {
    m_records.push_back(record);
  } else {
    ++m_notKept;
  }
}

}  // namespace opscope::rpc
