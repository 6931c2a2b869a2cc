// SPDX-License-Identifier: Apache-2.0
// The description of a checkpoint. Key names, their order and the text that is hashed are TVM 0.27's, so that
// checkpoints can be exchanged with it.
#include <fmt/format.h>
#include <tvm/ffi/dtype.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/vm/builtins/arguments.h"
#include "engine/vm/kv_cache/kv_checkpoint.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormatVersion = 1;
constexpr const char* kCacheType = "relax.vm.PagedAttentionKVCache";
constexpr const char* kGroupLayout = "1,num_logical_pages,2,num_kv_heads,page_size,qk_head_dim";

const char* ropeName(RopeMode mode) {
  constexpr const char* kNames[] = {"none", "normal", "inline"};
  return kNames[static_cast<int>(mode)];
}

std::string typeName(DLDataType type) {
  return std::string(ffi::DLDataTypeToString(type));
}

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char letter : text) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211ULL;
  }
  return hash;
}

Json parsed(std::string_view metadata) {
  Json document = Json::parse(metadata, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object()) {
    raise("ValueError", "KV cache: the description of a saved sequence should be a JSON object");
  }
  return document;
}

/// What differs first between two values, by their keys; "" when nothing does.
std::string firstDifference(const Json& expected, const Json& found, const std::string& place) {
  if (expected.is_object() && found.is_object()) {
    for (const auto& [key, value] : expected.items()) {
      const std::string inner = place.empty() ? key : place + "." + key;
      if (!found.contains(key)) {
        return fmt::format("{} is missing", inner);
      }
      if (std::string difference = firstDifference(value, found[key], inner); !difference.empty()) {
        return difference;
      }
    }
    return {};
  }
  if (expected.is_array() && found.is_array() && expected.size() == found.size()) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const std::string inner = fmt::format("{}[{}]", place, i);
      if (std::string difference = firstDifference(expected[i], found[i], inner); !difference.empty()) {
        return difference;
      }
    }
    return {};
  }
  constexpr std::size_t kLongest = 80;
  return expected == found
             ? std::string()
             : fmt::format("{} should be {}, got {}", place, expected.dump().substr(0, kLongest),
                           found.dump().substr(0, kLongest));
}

}  // namespace

std::int64_t lengthInMetadata(std::string_view metadata) {
  const Json document = parsed(metadata);
  if (!document.contains("seq_length") || !document["seq_length"].is_number_integer()) {
    raise("ValueError", "KV cache: seq_length of a saved sequence should be an integer");
  }
  return document["seq_length"].get<std::int64_t>();
}

std::string KvCheckpoint::layoutHash() const {
  const PagedKvConfig& config = m_cache.config();
  std::string kinds;
  for (std::int64_t layer = 0; layer < config.layerCount; ++layer) {
    kinds += layer == 0 ? "mha" : ",mha";
  }
  const std::string layout = fmt::format(
      "format_version={};cache_type={};page_size={};num_layers={};layer_begin={};layer_end={};num_qo_heads={}"
      ";"
      "num_kv_heads={};qk_head_dim={};v_head_dim={};dtype={};rope_mode={};rotary_scale={:.17g};rotary_theta={"
      ":.17g};"
      "has_rope_ext_factors=0;support_sliding_window=0;support_layer_sliding_window=0;page_group_layout={};"
      "attn_kinds={}",
      kFormatVersion, kCacheType, config.pageSize, config.layerCount, config.firstLayer,
      config.firstLayer + config.layerCount, config.queryHeads, config.keyHeads, config.keyDim,
      config.valueDim, typeName(config.dtype), ropeName(config.ropeMode), config.ropeScale, config.ropeTheta,
      kGroupLayout, kinds);
  return fmt::format("{:016x}", fnv1a(layout));
}

std::string KvCheckpoint::describe(std::int64_t sequence, std::int64_t length) const {
  const PagedKvConfig& config = m_cache.config();
  const std::int64_t end = config.firstLayer + config.layerCount;
  const std::int64_t pages = (length + config.pageSize - 1) / config.pageSize;
  Json json = {{"format_version", kFormatVersion},
               {"cache_type", kCacheType},
               {"page_size", config.pageSize},
               {"num_layers", config.layerCount},
               {"layer_begin", config.firstLayer},
               {"layer_end", end},
               {"num_qo_heads", config.queryHeads},
               {"num_kv_heads", config.keyHeads},
               {"qk_head_dim", config.keyDim},
               {"v_head_dim", config.valueDim},
               {"reserved_num_seqs", config.maxBatch},
               {"num_total_pages", config.pageCount},
               {"prefill_chunk_size", config.prefillChunk},
               {"dtype", typeName(config.dtype)},
               {"attn_kinds", Json::array()},
               {"rope_mode", ropeName(config.ropeMode)},
               {"rotary_scale", config.ropeScale},
               {"rotary_theta", config.ropeTheta},
               {"has_rope_ext_factors", false},
               {"support_sliding_window", false},
               {"support_layer_sliding_window", false},
               {"page_group_layout", kGroupLayout},
               {"layout_hash", layoutHash()},
               {"seq_id", sequence},
               {"seq_length", length},
               {"logical_pages", Json::array()},
               {"groups", Json::array()}};
  for (std::int64_t page = 0; page < pages; ++page) {
    const std::int64_t start = page * config.pageSize;
    json["logical_pages"].push_back({{"logical_page_index", page},
                                     {"start_pos", start},
                                     {"length", std::min<std::int64_t>(config.pageSize, length - start)}});
  }
  for (std::int64_t layer = 0; layer < config.layerCount; ++layer) {
    json["attn_kinds"].push_back("mha");
    json["groups"].push_back({{"group_index", layer},
                              {"layer_begin", config.firstLayer + layer},
                              {"layer_end", config.firstLayer + layer + 1},
                              {"num_logical_pages", pages},
                              {"dtype", typeName(config.dtype)},
                              {"shape", {1, pages, 2, config.keyHeads, config.pageSize, config.keyDim}},
                              {"nbytes", pages * static_cast<std::int64_t>(pageBytes())}});
  }
  return json.dump();
}

std::string KvCheckpoint::metadata(std::int64_t sequence) const {
  return describe(sequence, savable(sequence).length);
}

void KvCheckpoint::requireMatch(std::int64_t sequence, std::int64_t length, std::string_view metadata) const {
  const Json found = parsed(metadata);
  Json expected = Json::parse(describe(sequence, length));
  for (const char* size : {"reserved_num_seqs", "num_total_pages", "prefill_chunk_size"}) {
    expected.erase(size);  // may differ between the caches
  }
  if (const std::string difference = firstDifference(expected, found, {}); !difference.empty()) {
    raise("ValueError", "KV cache: the saved sequence is from a cache of another layout: " + difference);
  }
}

}  // namespace opscope::vm
