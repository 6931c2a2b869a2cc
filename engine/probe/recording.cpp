// SPDX-License-Identifier: Apache-2.0
#include "engine/probe/recording.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

namespace opscope::probe {

namespace {

const DLTensor* tensorIn(const TVMFFIAny& value) {
  return value.type_index == kTVMFFIDLTensorPtr ? static_cast<const DLTensor*>(value.v_ptr) : tensorOf(value);
}

std::int64_t typeWord(const DLTensor& tensor) {
  return static_cast<std::int64_t>(tensor.dtype.code) | static_cast<std::int64_t>(tensor.dtype.bits) << 8 |
         static_cast<std::int64_t>(tensor.dtype.lanes) << 16 | static_cast<std::int64_t>(tensor.ndim) << 32;
}

std::int64_t deviceWord(const DLTensor& tensor) {
  return static_cast<std::int64_t>(tensor.device.device_type) |
         static_cast<std::int64_t>(tensor.device.device_id) << 32;
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0xD6E8FEB86659FD93ULL;
  return hash ^ hash >> 32;
}

template <class T>
bool reserve(T*& memory, std::uint64_t count) {
  free(memory);
  memory = count <= SIZE_MAX / sizeof(T) ? static_cast<T*>(malloc(count * sizeof(T))) : nullptr;
  if (memory != nullptr) {
    // Written to, so that the pages are there before a clock runs; the compiler must not make it a calloc.
    asm volatile("" : "+r"(memory) : : "memory");
    memset(static_cast<void*>(memory), 0, count * sizeof(T));
  }
  return memory != nullptr;
}

template <class T>
void giveBack(T*& memory) {
  free(memory);
  memory = nullptr;
}

}  // namespace

Text textOf(const TVMFFIAny& value) {
  switch (value.type_index) {
    case kTVMFFIRawStr:
      return {value.v_c_str, value.v_c_str == nullptr ? 0 : strlen(value.v_c_str)};
    case kTVMFFISmallStr:
      return {value.v_bytes, value.small_str_len};
    case kTVMFFIStr: {
      const auto* bytes = reinterpret_cast<const TVMFFIByteArray*>(
          reinterpret_cast<const char*>(value.v_obj) + sizeof(TVMFFIObject));
      return {bytes->data, bytes->size};
    }
    default:
      return {};
  }
}

std::uint64_t nowNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

bool Recording::start(std::uint64_t records) {
  const bool done = reserve(m_records, records) && reserve(m_marks, kMarks) && reserve(m_shapes, kShapes) &&
                    reserve(m_words, kWords) && reserve(m_shapeBuckets, kShapeBuckets) &&
                    reserve(m_callees, kCallees) && reserve(m_names, kNames) && reserve(m_text, kTextBytes) &&
                    reserve(m_open, kDepth);
  if (!done) {
    release();
    return false;
  }
  m_capacity = records;
  m_shapeCount = m_wordCount = m_calleeCount = m_nameCount = m_textSize = 0;
  clear();
  return true;
}

void Recording::clear() {
  m_count = m_dropped = m_droppedMarks = 0;
  m_markCount = m_depth = 0;
}

void Recording::release() {
  giveBack(m_records);
  giveBack(m_marks);
  giveBack(m_shapes);
  giveBack(m_words);
  giveBack(m_shapeBuckets);
  giveBack(m_callees);
  giveBack(m_names);
  giveBack(m_text);
  giveBack(m_open);
}

void Recording::begin(const TVMFFIAny& function, const TVMFFIAny& name, const TVMFFIAny* args,
                      std::int32_t count, std::uint32_t place) {
  if (m_depth >= kDepth) {
    ++m_depth;
    ++m_dropped;
    return;
  }
  Open& open = m_open[m_depth];
  open = {function.v_ptr, nullptr};
  Callee* const callee = m_count < m_capacity ? calleeOf(function.v_ptr, textOf(name)) : nullptr;
  if (callee == nullptr) {
    ++m_depth;
    ++m_dropped;
    return;
  }
  callee->lastShapes = shapesOf(callee->lastShapes, args, count);
  base::CallRecord& record = m_records[m_count++];
  open.record = &record;
  record.endTicks = 0;
  record.instruction = place;
  record.function = callee->name;
  record.shapes = callee->lastShapes;
  record.depth = m_depth++;
  record.beginTicks = nowNs();  // last, so that nothing of ours is in the time
}

void Recording::end(const TVMFFIAny& function, std::uint64_t ns) {
  if (m_depth > kDepth) {
    --m_depth;
    return;
  }
  // Calls that failed inside of one that caught their error were never ended: they are passed over.
  while (m_depth > 0) {
    const Open& open = m_open[--m_depth];
    if (open.function == function.v_ptr) {
      if (open.record != nullptr) {
        open.record->endTicks = ns;
      }
      return;
    }
  }
}

void Recording::beginStep(std::uint32_t step) {
  m_depth = 0;
  if (m_markCount >= kMarks) {
    return;
  }
  base::ProbeMark& mark = m_marks[m_markCount];
  mark = {};
  mark.step = step;
  mark.firstRecord = m_count;
  mark.beginNs = nowNs();
}

void Recording::endStep(bool failed) {
  const std::uint64_t now = nowNs();
  m_depth = 0;
  if (m_markCount >= kMarks) {
    ++m_droppedMarks;
    return;
  }
  base::ProbeMark& mark = m_marks[m_markCount++];
  mark.endNs = now;
  mark.endRecord = m_count;
  mark.failed = failed ? 1 : 0;
}

Recording::Callee* Recording::calleeOf(const void* function, Text name) {
  std::uint32_t place = static_cast<std::uint32_t>(mix(0, reinterpret_cast<std::uintptr_t>(function)));
  for (;; ++place) {
    Callee& callee = m_callees[place % kCallees];
    if (callee.function == function) {
      if (!sameName(callee.name, name)) [[unlikely]] {
        callee.name = internName(name);  // another function came to lie at the same address
        callee.lastShapes = base::kNoShapes;
      }
      return callee.name == kNothing ? nullptr : &callee;
    }
    if (callee.function == nullptr) {
      if (m_calleeCount >= kCallees / 2) {
        return nullptr;
      }
      ++m_calleeCount;
      callee = {function, internName(name), base::kNoShapes};
      return callee.name == kNothing ? nullptr : &callee;
    }
  }
}

bool Recording::sameName(std::uint32_t index, Text name) const {
  return index != kNothing && m_names[index].size == name.size &&
         memcmp(m_text + m_names[index].first, name.data, name.size) == 0;
}

std::uint32_t Recording::internName(Text name) {
  for (std::uint32_t i = 0; i < m_nameCount; ++i) {
    if (sameName(i, name)) {
      return i;
    }
  }
  if (m_nameCount >= kNames || name.size > kTextBytes - m_textSize) {
    return kNothing;
  }
  m_names[m_nameCount] = {m_textSize, static_cast<std::uint32_t>(name.size)};
  memcpy(m_text + m_textSize, name.data, name.size);
  m_textSize += static_cast<std::uint32_t>(name.size);
  return m_nameCount++;
}

std::uint32_t Recording::shapesOf(std::uint32_t last, const TVMFFIAny* args, std::int32_t count) {
  if (sameShapes(last, args, count)) [[likely]] {
    return last;
  }
  return internShapes(args, count);
}

bool Recording::sameShapes(std::uint32_t index, const TVMFFIAny* args, std::int32_t count) const {
  const bool none = index == base::kNoShapes;
  const std::int64_t* words = none ? m_words : m_words + m_shapes[index].first;
  const std::int64_t* const end = words + (none ? 0 : m_shapes[index].count);
  for (std::int32_t i = 0; i < count; ++i) {
    const DLTensor* const tensor = tensorIn(args[i]);
    if (tensor == nullptr) {
      continue;
    }
    if (end - words < 2 + tensor->ndim || words[0] != typeWord(*tensor) || words[1] != deviceWord(*tensor)) {
      return false;
    }
    words += 2;
    for (std::int32_t d = 0; d < tensor->ndim; ++d) {
      if (*words++ != tensor->shape[d]) {
        return false;
      }
    }
  }
  return words == end;
}

std::uint32_t Recording::internShapes(const TVMFFIAny* args, std::int32_t count) {
  // Written behind the known ones first; kept when they turn out to be new.
  std::uint64_t hash = 0;
  std::uint32_t size = 0;
  const auto put = [&](std::int64_t word) {
    if (m_wordCount + size < kWords) {
      m_words[m_wordCount + size] = word;
    }
    hash = mix(hash, static_cast<std::uint64_t>(word));
    ++size;
  };
  for (std::int32_t i = 0; i < count; ++i) {
    if (const DLTensor* const tensor = tensorIn(args[i])) {
      put(typeWord(*tensor));
      put(deviceWord(*tensor));
      for (std::int32_t d = 0; d < tensor->ndim; ++d) {
        put(tensor->shape[d]);
      }
    }
  }
  if (size == 0) {
    return base::kNoShapes;
  }
  for (std::uint32_t place = static_cast<std::uint32_t>(hash);; ++place) {
    std::uint32_t& bucket = m_shapeBuckets[place % kShapeBuckets];
    if (bucket != 0 && sameShapes(bucket - 1, args, count)) {
      return bucket - 1;
    }
    if (bucket == 0) {
      if (m_shapeCount >= kShapes || m_wordCount + size > kWords) {
        return base::kNoShapes;
      }
      m_shapes[m_shapeCount] = {m_wordCount, size};
      m_wordCount += size;
      bucket = ++m_shapeCount;
      return bucket - 1;
    }
  }
}

std::size_t Recording::reportSize() const {
  return sizeof(base::ProbeHeader) + m_count * sizeof(base::CallRecord) +
         m_markCount * sizeof(base::ProbeMark) + m_shapeCount * sizeof(base::ProbeShapes) +
         m_wordCount * sizeof(std::int64_t) + m_nameCount * sizeof(std::uint32_t) + m_textSize;
}

void Recording::writeReport(char* out) const {
  const auto put = [&out](const void* from, std::size_t bytes) {
    memcpy(out, from, bytes);
    out += bytes;
  };
  timespec resolution{};
  clock_getres(CLOCK_MONOTONIC, &resolution);
  base::ProbeHeader header;
  header.names = m_nameCount;
  header.records = m_count;
  header.marks = m_markCount;
  header.shapes = m_shapeCount;
  header.shapeWords = m_wordCount;
  header.dropped = m_dropped;
  header.droppedMarks = m_droppedMarks;
  header.clockResolutionNs =
      static_cast<double>(resolution.tv_sec) * 1e9 + static_cast<double>(resolution.tv_nsec);
  put(&header, sizeof header);
  put(m_records, m_count * sizeof(base::CallRecord));
  put(m_marks, m_markCount * sizeof(base::ProbeMark));
  put(m_shapes, m_shapeCount * sizeof(base::ProbeShapes));
  put(m_words, m_wordCount * sizeof(std::int64_t));
  for (std::uint32_t i = 0; i < m_nameCount; ++i) {
    put(&m_names[i].size, sizeof(std::uint32_t));
    put(m_text + m_names[i].first, m_names[i].size);
  }
}

}  // namespace opscope::probe
