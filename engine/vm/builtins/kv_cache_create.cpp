// SPDX-License-Identifier: Apache-2.0
// Makes a paged KV cache from what an executable states about it: 28 arguments, of which half are kernels.
#include "engine/vm/builtins/kv_cache_create.h"

#include <fmt/format.h>
#include <tvm/ffi/string.h>

#include <limits>
#include <string>
#include <utility>

#include "engine/vm/builtins/kv_arguments.h"
#include "engine/vm/value_text.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

/// Places of the arguments.
enum Place : std::int32_t {
  kSizes,
  kLayers,
  kQueryHeads,
  kKeyHeads,
  kKeyDim,
  kValueDim,
  kLayerKinds,
  kTransfer,
  kRopeMode,
  kRopeScale,
  kRopeTheta,
  kRopeFactors,
  kElement,
  kAppend,
  kAppendLatent,
  kRaggedPrefill,
  kPagedPrefill,
  kDecode,
  kSlidingPrefill,
  kSlidingDecode,
  kTreePaged,
  kTreeRagged,
  kLatentPrefill,
  kMerge,
  kSplitRotary,
  kCopyPage,
  kDebugGet,
  kCompact,
};

constexpr std::size_t kSizesBefore027 = 5;  // 0.27 adds the window of sliding layers

std::int64_t positive(const Arguments& arguments, const char* what, std::int64_t value) {
  if (value <= 0 || value > std::numeric_limits<std::int32_t>::max()) {
    arguments.failValue(fmt::format("{} should be from 1 to {}, got {}", what,
                                    std::numeric_limits<std::int32_t>::max(), value));
  }
  return value;
}

void readSizes(const Arguments& arguments, PagedKvConfig& config) {
  const ffi::ShapeView sizes = arguments.shape(kSizes);
  if (sizes.size() != kSizesBefore027 && sizes.size() != kSizesBefore027 + 1) {
    arguments.failValue(
        fmt::format("argument 0 should hold 5 or 6 sizes (batch, tokens, prefill chunk, page "
                    "size, sliding window, layer window), got {}",
                    sizes.size()));
  }
  config.maxBatch = positive(arguments, "the largest batch", sizes[0]);
  const std::int64_t capacity = positive(arguments, "the number of tokens", sizes[1]);
  config.prefillChunk = positive(arguments, "the prefill chunk size", sizes[2]);
  config.pageSize = static_cast<std::int32_t>(positive(arguments, "the page size", sizes[3]));
  config.slidingWindow = sizes[4] != 0;
  config.kernelMasksLayerWindow = sizes.size() > kSizesBefore027;
  if (config.kernelMasksLayerWindow) {
    config.layerWindow = positive(arguments, "the window of sliding layers", sizes[5]);
  }
  std::int64_t pages = (capacity + config.pageSize - 1) / config.pageSize + 1;
  if (config.slidingWindow) {
    pages += 2 * config.maxBatch;  // a window may begin and end within a page
  }
  if (pages > std::numeric_limits<std::int32_t>::max() / config.pageSize) {
    arguments.failValue(fmt::format("{} pages of {} tokens are too many", pages, config.pageSize));
  }
  config.pageCount = static_cast<std::int32_t>(pages);
}

void readLayers(const Arguments& arguments, PagedKvConfig& config) {
  const ffi::ShapeView layers = arguments.shape(kLayers);
  if (layers.size() != 2 || layers[0] < 0 || layers[1] <= layers[0]) {
    arguments.failValue(
        fmt::format("argument 1 should be the first layer and the one after the last (pipelines "
                    "of several groups are not supported), got {}",
                    shapeText({layers.data(), layers.size()})));
  }
  const ffi::ShapeView kinds = arguments.shape(kLayerKinds);
  if (static_cast<std::int64_t>(kinds.size()) < layers[1]) {
    arguments.failValue(fmt::format("argument 6 should tell the attention kinds of {} layers, got {}",
                                    layers[1], kinds.size()));
  }
  config.firstLayer = layers[0];
  config.layerCount = layers[1] - layers[0];
  for (std::int64_t layer = layers[0]; layer < layers[1]; ++layer) {
    const std::int64_t kind = kinds[static_cast<std::size_t>(layer)];
    if (kind != static_cast<int>(AttentionKind::MultiHead) &&
        kind != static_cast<int>(AttentionKind::Latent) &&
        kind != static_cast<int>(AttentionKind::MultiHeadSliding)) {
      arguments.failValue(
          fmt::format("layer {} has attention of kind {}; supported are 0 (multi-head), 1 (latent) "
                      "and 3 (multi-head with a window)",
                      layer, kind));
    }
    config.layerKinds.push_back(static_cast<AttentionKind>(kind));
  }
}

void readHeads(const Arguments& arguments, PagedKvConfig& config) {
  config.queryHeads = positive(arguments, "the number of query heads", arguments.integer(kQueryHeads));
  config.keyHeads = positive(arguments, "the number of key heads", arguments.integer(kKeyHeads));
  config.keyDim = positive(arguments, "the size of key heads", arguments.integer(kKeyDim));
  config.valueDim = positive(arguments, "the size of value heads", arguments.integer(kValueDim));
  if (config.queryHeads % config.keyHeads != 0) {
    arguments.failValue(
        fmt::format("{} query heads cannot share {} key heads evenly", config.queryHeads, config.keyHeads));
  }
  const DLTensor& element = arguments.tensor(kElement);
  if (element.device.device_type != kDLCPU) {
    arguments.failValue(fmt::format("the cache is for device type {}, only the CPU (1) is available",
                                    static_cast<int>(element.device.device_type)));
  }
  config.dtype = element.dtype;
}

void readRope(const Arguments& arguments, PagedKvConfig& config) {
  const std::int64_t mode = arguments.integer(kRopeMode);
  if (mode < 0 || mode > static_cast<int>(RopeMode::Inline)) {
    arguments.failValue(
        fmt::format("the rope mode should be 0 (none), 1 (normal) or 2 (inline), got {}", mode));
  }
  config.ropeMode = static_cast<RopeMode>(mode);
  if (config.slidingWindow && config.ropeMode != RopeMode::None) {
    config.ropeMode = RopeMode::Inline;  // positions of kept keys change when the window moves
  }
  config.ropeScale = number(arguments, kRopeScale);
  config.ropeTheta = number(arguments, kRopeTheta);
}

void requireConsistent(const Arguments& arguments, const PagedKvConfig& config) {
  if (config.slidingWindow && config.hasKind(AttentionKind::Latent)) {
    arguments.failValue("latent attention (MLA) has no sliding window");
  }
  if (number(arguments, kTransfer) != 0.0) {
    arguments.failValue(
        "the cache is to be shared between processes (disaggregation), which needs NVSHMEM on CUDA "
        "devices; this engine runs one process");
  }
}

KvKernel plainKernel(const Arguments& arguments, std::int32_t index, const char* purpose) {
  if (arguments.at(index).type_index() == kTVMFFINone) {
    return {};
  }
  if (auto function = arguments.at(index).as<ffi::Function>(); function.has_value()) {
    return {purpose, *std::move(function)};
  }
  arguments.failType(index, "a kernel");
}

/// Kernels that exist for several libraries come as [library, kernel, ...], [] when there is none.
KvKernel libraryKernel(const Arguments& arguments, std::int32_t index, const char* purpose) {
  const ffi::Array<ffi::Any> parts = arguments.tuple(index);
  if (parts.empty()) {
    return {purpose, ffi::Function(nullptr)};
  }
  const auto library = parts[0].try_cast<ffi::String>();
  if (!library.has_value() || (*library != "tirx" && *library != "tir")) {
    arguments.failValue(fmt::format("the kernel for {} is of library {}, only \"tirx\" runs here", purpose,
                                    describeValue(parts[0])));
  }
  const auto function = parts.size() == 2 ? objectIn<ffi::Function>(parts[1]) : std::nullopt;
  if (!function.has_value()) {
    arguments.failType(index, "a library's name with a kernel");
  }
  return {purpose, *function};
}

std::vector<KvKernel> mergeKernels(const Arguments& arguments) {
  std::vector<KvKernel> kernels;
  for (const ffi::Any& part : arguments.tuple(kMerge)) {
    const auto function = objectIn<ffi::Function>(part);
    if (!function.has_value()) {
      arguments.failType(kMerge, "a tuple of kernels");
    }
    kernels.emplace_back("merging attention outputs", *function);
  }
  if (kernels.empty()) {
    arguments.failValue("there is no kernel for merging attention outputs");
  }
  return kernels;
}

KvKernels readKernels(const Arguments& arguments, const PagedKvConfig& config) {
  KvKernels kernels;
  kernels.append = plainKernel(arguments, kAppend, "appending keys and values");
  kernels.appendLatent = plainKernel(arguments, kAppendLatent, "appending latent keys and values");
  kernels.raggedPrefill = libraryKernel(arguments, kRaggedPrefill, "attention among new tokens");
  kernels.pagedPrefill = libraryKernel(arguments, kPagedPrefill, "prefill attention to cached tokens");
  kernels.decode = libraryKernel(arguments, kDecode, "decode attention");
  kernels.slidingPrefill =
      libraryKernel(arguments, kSlidingPrefill, "prefill attention with a sliding window");
  kernels.slidingDecode = libraryKernel(arguments, kSlidingDecode, "decode attention with a sliding window");
  kernels.treePaged = libraryKernel(arguments, kTreePaged, "token trees among cached tokens");
  kernels.treeRagged = libraryKernel(arguments, kTreeRagged, "token trees among new tokens");
  kernels.latentPrefill = libraryKernel(arguments, kLatentPrefill, "latent attention to cached tokens");
  kernels.merge = mergeKernels(arguments);
  kernels.splitRotary = plainKernel(arguments, kSplitRotary, "splitting and rotating q, k and v");
  kernels.copyPage = plainKernel(arguments, kCopyPage, "copying a page");
  kernels.debugGet = plainKernel(arguments, kDebugGet, "reading keys and values back");
  kernels.compact = plainKernel(arguments, kCompact, "moving accepted tokens of a tree");
  if (arguments.tensorOrNull(kRopeFactors) != nullptr) {
    kernels.ropeFactors = arguments.ownedTensor(kRopeFactors);
    if (config.ropeMode != RopeMode::Normal) {
      arguments.failValue("rope extension factors need the normal rope mode");
    }
  }
  return kernels;
}

}  // namespace

void createPagedKvCache(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.paged_attention_kv_cache_create", packed);
  arguments.requireCount(28, 29);
  PagedKvConfig config;
  readSizes(arguments, config);
  readLayers(arguments, config);
  readHeads(arguments, config);
  readRope(arguments, config);
  requireConsistent(arguments, config);
  KvKernels kernels = readKernels(arguments, config);
  *result = ffi::ObjectRef(ffi::make_object<PagedKvCacheObj>(std::move(config), std::move(kernels)));
}

}  // namespace opscope::vm
