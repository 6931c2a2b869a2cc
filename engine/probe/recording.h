// SPDX-License-Identifier: Apache-2.0
// The probe's memory: records, names and argument shapes of calls, all reserved by `start`. Used on the one
// thread that runs the board's virtual machine; nothing here allocates between start and clear, and nothing
// needs the C++ library.
#pragma once

#include <tvm/ffi/c_api.h>

#include <cstddef>
#include <cstdint>

#include "engine/base/probe_layout.h"

namespace opscope::probe {

/// The bytes of a string value, whichever way it travels. Null for other values.
struct Text {
  const char* data = nullptr;
  std::size_t size = 0;
};
Text textOf(const TVMFFIAny& value);

/// The tensor of a tensor object. Null for other values.
inline const DLTensor* tensorOf(const TVMFFIAny& value) {
  return value.type_index == kTVMFFITensor ? TVMFFITensorGetDLTensorPtr(value.v_obj) : nullptr;
}

std::uint64_t nowNs();

class Recording {
 public:
  /// Reserves room and forgets what was there. False when there is no memory.
  bool start(std::uint64_t records);
  /// Forgets records and marks; names and shapes stay.
  void clear();
  /// Gives the memory back.
  void release();
  bool isReady() const { return m_records != nullptr; }

  /// A call begins: `function` is its callee, by whose address the name is found again. `place`: where it is
  /// made, as base/probe_layout.h tells.
  void begin(const TVMFFIAny& function, const TVMFFIAny& name, const TVMFFIAny* args, std::int32_t count,
             std::uint32_t place = 0);
  /// The innermost open call of `function` ended at `ns`.
  void end(const TVMFFIAny& function, std::uint64_t ns);

  void beginStep(std::uint32_t step);
  void endStep(bool failed);

  std::size_t reportSize() const;
  /// Writes reportSize() bytes.
  void writeReport(char* out) const;

 private:
  struct Callee {
    const void* function;  // null: free
    std::uint32_t name;
    std::uint32_t lastShapes;
  };
  struct Name {
    std::uint32_t first;  // in m_text
    std::uint32_t size;
  };
  struct Open {
    const void* function;
    base::CallRecord* record;  // null: there was no room
  };

  static constexpr std::uint32_t kNames = 1U << 14;
  static constexpr std::uint32_t kTextBytes = 1U << 21;
  static constexpr std::uint32_t kCallees = 1U << 15;
  static constexpr std::uint32_t kShapes = 1U << 16;
  static constexpr std::uint32_t kShapeBuckets = 1U << 17;
  static constexpr std::uint32_t kWords = 1U << 20;
  static constexpr std::uint32_t kMarks = 1U << 16;
  static constexpr std::uint32_t kDepth = base::kProbeMostDepth;
  static constexpr std::uint32_t kNothing = 0xFFFFFFFFU;

  Callee* calleeOf(const void* function, Text name);
  std::uint32_t internName(Text name);
  bool sameName(std::uint32_t index, Text name) const;
  std::uint32_t shapesOf(std::uint32_t last, const TVMFFIAny* args, std::int32_t count);
  std::uint32_t internShapes(const TVMFFIAny* args, std::int32_t count);
  bool sameShapes(std::uint32_t index, const TVMFFIAny* args, std::int32_t count) const;

  base::CallRecord* m_records = nullptr;
  base::ProbeMark* m_marks = nullptr;
  base::ProbeShapes* m_shapes = nullptr;
  std::int64_t* m_words = nullptr;
  std::uint32_t* m_shapeBuckets = nullptr;  // index + 1 into m_shapes; 0: free
  Callee* m_callees = nullptr;
  Name* m_names = nullptr;
  char* m_text = nullptr;
  Open* m_open = nullptr;
  std::uint64_t m_capacity = 0;
  std::uint64_t m_count = 0;
  std::uint64_t m_dropped = 0;
  std::uint64_t m_droppedMarks = 0;
  std::uint32_t m_markCount = 0;
  std::uint32_t m_shapeCount = 0;
  std::uint32_t m_wordCount = 0;
  std::uint32_t m_calleeCount = 0;
  std::uint32_t m_nameCount = 0;
  std::uint32_t m_textSize = 0;
  std::uint32_t m_depth = 0;  // open calls; those beyond kDepth are counted, not kept
};

}  // namespace opscope::probe
