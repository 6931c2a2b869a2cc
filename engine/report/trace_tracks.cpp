// SPDX-License-Identifier: Apache-2.0
#include "engine/report/trace_tracks.h"

#include <set>

namespace opscope::report {

namespace {

/// Some programs number their threads, others name them in place of a number.
bool isText(std::string_view token) {
  return token.size() >= 2 && token.front() == '"' && token.back() == '"';
}

std::string plain(std::string_view token) {
  return std::string(isText(token) ? token.substr(1, token.size() - 2) : token);
}

}  // namespace

std::uint32_t TraceTracks::idOf(std::string_view process, std::string_view thread) {
  const bool isSame = !m_tracks.empty() && m_key.size() == process.size() + thread.size() + 1 &&
                      m_key.starts_with(process) && m_key.ends_with(thread) && m_key[process.size()] == '\0';
  if (isSame) return m_last;
  m_key.assign(process);
  m_key += '\0';
  m_key += thread;
  const auto [entry, isNew] = m_ids.try_emplace(m_key, static_cast<std::uint32_t>(m_tracks.size()));
  if (isNew) m_tracks.push_back({std::string(process), std::string(thread), {}});
  return m_last = entry->second;
}

void TraceTracks::nameProcess(std::string_view process, std::string_view name) {
  m_processNames.insert_or_assign(std::string(process), std::string(name));
}

void TraceTracks::nameThread(std::string_view process, std::string_view thread, std::string_view name) {
  m_tracks[idOf(process, thread)].name = name;
}

std::vector<std::string> TraceTracks::titles() const {
  std::set<std::string_view> processes;
  for (const Track& track : m_tracks) processes.insert(track.process);
  std::vector<std::string> titles;
  std::set<std::string> taken;
  for (const Track& track : m_tracks) {
    std::string title = track.name;
    if (title.empty()) title = (isText(track.thread) ? "" : "thread ") + plain(track.thread);
    if (processes.size() > 1) {
      const auto name = m_processNames.find(track.process);
      const bool isNamed = name != m_processNames.end() && !name->second.empty();
      title = (isNamed ? name->second : (isText(track.process) ? "" : "process ") + plain(track.process)) +
              ": " + title;
    }
    if (!taken.insert(title).second) {
      title += " (" + plain(track.process) + "/" + plain(track.thread) + ")";
      taken.insert(title);
    }
    titles.push_back(std::move(title));
  }
  return titles;
}

}  // namespace opscope::report
