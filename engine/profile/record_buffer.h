// SPDX-License-Identifier: Apache-2.0
// Memory for the records of calls. One thread; owns the records.
#pragma once

#include "engine/base/chunk_buffer.h"
#include "engine/base/record.h"

namespace opscope::profile {

class RecordBuffer : public base::ChunkBuffer<base::CallRecord> {
 public:
  static constexpr std::size_t kChunkRecords = kChunkItems;
};

}  // namespace opscope::profile
