// SPDX-License-Identifier: Apache-2.0
#include "app/cli/memory_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/text_table.h"
#include "app/cli/words.h"
#include "engine/base/printable.h"
#include "engine/report/quantity_words.h"

namespace opscope::cli {

namespace {

constexpr std::size_t kMostHolders = 10;
constexpr double kPercent = 100;

std::string bytes(std::int64_t count) {
  return bytesText(static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0)));
}

std::string callName(const report::Run& run, std::uint32_t call) {
  return base::printable(run.names[run.calls[call].name]);
}

/// "fused_conv2d18 (instruction 179)", or what to say where no call is known.
std::string callText(const report::Run& run, std::uint32_t call, const char* without) {
  return call == report::kNone
             ? without
             : fmt::format("{} (instruction {})", callName(run, call), run.calls[call].instruction);
}

/// Who a storage is held for: the writer of the tensor that is live in it, and for whom it is as large as it
/// is; else whom it was taken for.
std::string holderName(const report::Run& run, const report::MemoryHolder& holder,
                       const report::StorageLife& storage) {
  if (holder.writer != report::kNone && storage.writer != report::kNone && holder.writer != storage.writer) {
    return fmt::format("{} (sized for {})", callName(run, holder.writer), callName(run, storage.writer));
  }
  if (storage.writer != report::kNone) {
    return callName(run, storage.writer);
  }
  if (storage.call != report::kNone) {
    return callName(run, storage.call);
  }
  return storage.before ? "from before the repeat" : "between calls";
}

std::string shareText(double part, double whole) {
  return whole > 0 ? report::partWords(std::min(part / whole, 1.0) * kPercent) : "";
}

TextTable holderTable(const report::Run& run, const report::MemoryTrack& memory) {
  TextTable table;
  table.titles = {"Held for", "Bytes", "Share", "In tensors", "Taken by", "Since"};
  const auto whole = static_cast<double>(memory.storage.peakBytes);
  for (const report::MemoryHolder& holder : memory.holders) {
    if (table.rows.size() == kMostHolders) {
      break;
    }
    const report::StorageLife& storage = memory.storages[holder.storage];
    table.rows.push_back({holderName(run, holder, storage), bytes(storage.bytes),
                          shareText(static_cast<double>(storage.bytes), whole), bytes(holder.tensorBytes),
                          storage.call == report::kNone
                              ? std::string("-")
                              : fmt::format("instruction {}", run.calls[storage.call].instruction),
                          storage.before ? std::string("before") : report::durationWords(storage.takenNs)});
  }
  return table;
}

std::string othersText(const report::MemoryTrack& memory) {
  if (memory.holders.size() <= kMostHolders) {
    return {};
  }
  double rest = 0;
  for (std::size_t i = kMostHolders; i < memory.holders.size(); ++i) {
    rest += static_cast<double>(memory.storages[memory.holders[i].storage].bytes);
  }
  return fmt::format("and {}, {}\n",
                     countText(memory.holders.size() - kMostHolders, "smaller storage", "smaller storages"),
                     bytesText(static_cast<std::uint64_t>(rest)));
}

std::string sumLines(const report::Run& run, const report::MemoryTrack& memory) {
  std::string text = fmt::format("Storages     {} taken ({}), {} of them from kept blocks, {} freed\n",
                                 memory.taken, bytes(memory.takenBytes), memory.reused, memory.freed);
  text += fmt::format("Tensors      {} made ({}), at most {} live\n", memory.tensorsMade,
                      bytes(memory.tensorBytes), bytes(memory.tensors.peakBytes));
  if (memory.workspaceRequests > 0) {
    text += fmt::format(
        "Workspaces   at most {}; {}, the largest {} by {}\n", bytes(memory.workspaces.peakBytes),
        countText(memory.workspaceRequests, "request", "requests"), bytes(memory.largestWorkspaceBytes),
        callText(run, memory.largestWorkspaceCall, "an unknown call"));
  }
  if (memory.constantBytes > 0) {
    text += fmt::format("Constants    {}, beside the storages\n", bytes(memory.constantBytes));
  }
  if (memory.cacheBytes > 0) {
    text += fmt::format("Caches       {} of the peak, taken by builtins of key-value caches\n",
                        bytes(memory.cacheBytes));
  }
  if (memory.lostEvents > 0) {
    text += fmt::format("Incomplete   {} not recorded, memory was out\n",
                        countText(memory.lostEvents, "event was", "events were"));
  }
  return text;
}

/// "instruction 179, for fused_conv2d18": where the storage that made the peak was taken, and for whom.
std::string peakPlace(const report::Run& run, const report::MemoryTrack& memory) {
  if (memory.peakCall == report::kNone) {
    return "the start of a step";
  }
  const std::uint32_t instruction = run.calls[memory.peakCall].instruction;
  for (const report::MemoryHolder& holder : memory.holders) {
    const report::StorageLife& storage = memory.storages[holder.storage];
    if (storage.call == memory.peakCall && storage.writer != report::kNone) {
      return fmt::format("instruction {}, for {}", instruction, callName(run, storage.writer));
    }
  }
  return fmt::format("instruction {}, {}", instruction, callName(run, memory.peakCall));
}

std::string peakLine(const report::Run& run, const report::MemoryTrack& memory) {
  if (memory.storage.peakBytes == 0) {
    return "Peak memory  no storage was taken\n";
  }
  return fmt::format("Peak memory  {} at {}, {} after the start of repeat {}; {} in tensors\n",
                     bytes(memory.storage.peakBytes), peakPlace(run, memory),
                     report::durationWords(memory.storage.peakNs), memory.storage.peakRepeat + 1,
                     bytes(memory.peakTensorBytes));
}

}  // namespace

std::string memoryView(const report::Run& run, std::optional<std::size_t> width) {
  const report::MemoryTrack& memory = *run.memory;
  const std::string lines = peakLine(run, memory) + sumLines(run, memory);
  constexpr std::size_t kWordsAt = 13;
  std::string text;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = lines.find('\n', begin);
    const std::string line = lines.substr(begin, end - begin);
    text += (width ? wrapped(line, *width, kWordsAt) : line) + "\n";
    begin = end + 1;
  }
  if (!memory.holders.empty()) {
    text += "\n" + toText(holderTable(run, memory), width) + othersText(memory);
  }
  return text;
}

}  // namespace opscope::cli
