// SPDX-License-Identifier: Apache-2.0
// The fixed facts of a paged KV cache, as an executable states them when it makes one. Plain data.
#pragma once

#include <dlpack/dlpack.h>

#include <cstdint>
#include <vector>

namespace opscope::vm {

enum class AttentionKind { MultiHead = 0, Latent = 1, Linear = 2, MultiHeadSliding = 3 };

enum class RopeMode { None = 0, Normal = 1, Inline = 2 };

struct PagedKvConfig {
  std::int64_t maxBatch = 0;      ///< sequences in one forward pass
  std::int64_t prefillChunk = 0;  ///< tokens in one forward pass
  std::int32_t pageSize = 0;
  std::int32_t pageCount = 0;
  bool slidingWindow = false;       ///< sequences may be given a window
  std::int64_t layerWindow = 1024;  ///< window of layers of kind MultiHeadSliding
  /// Prefill kernels mask a layer's window themselves (executables since TVM 0.27).
  bool kernelMasksLayerWindow = false;

  std::int64_t firstLayer = 0;
  std::int64_t layerCount = 0;
  std::vector<AttentionKind> layerKinds;  ///< of this cache's layers
  std::int64_t queryHeads = 0;
  std::int64_t keyHeads = 0;
  std::int64_t keyDim = 0;
  std::int64_t valueDim = 0;
  DLDataType dtype{kDLFloat, 32, 1};

  RopeMode ropeMode = RopeMode::None;
  double ropeScale = 1.0;
  double ropeTheta = 10000.0;

  bool hasKind(AttentionKind kind) const {
    for (const AttentionKind layer : layerKinds) {
      if (layer == kind) {
        return true;
      }
    }
    return false;
  }
};

}  // namespace opscope::vm
