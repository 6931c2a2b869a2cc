// SPDX-License-Identifier: Apache-2.0
// Threads of a trace and their names. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace opscope::report {

class TraceTracks {
 public:
  /// The number of the thread, from 0; `process` and `thread` as they stand in the file.
  std::uint32_t idOf(std::string_view process, std::string_view thread);

  void nameProcess(std::string_view process, std::string_view name);
  void nameThread(std::string_view process, std::string_view thread, std::string_view name);

  std::size_t size() const { return m_tracks.size(); }

  /// "worker 1", and with its process in front where there are several: "python: worker 1". Titles differ.
  std::vector<std::string> titles() const;

 private:
  struct Track {
    std::string process;
    std::string thread;
    std::string name;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  std::vector<Track> m_tracks;
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> m_ids;
  std::unordered_map<std::string, std::string, Hash, std::equal_to<>> m_processNames;
  std::string m_key;  // of the last look-up, since events of one thread follow one another
  std::uint32_t m_last = 0;
};

}  // namespace opscope::report
