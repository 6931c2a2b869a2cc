// SPDX-License-Identifier: Apache-2.0
// From logits to tokens: softmax with a temperature, penalties, and choosing by a given random number.
// Behaviour: lm_support.cc of TVM.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "engine/runtime/storage.h"
#include "engine/vm/builtins/element_types.h"
#include "engine/vm/builtins/families.h"
#include "engine/vm/builtins/kv_arguments.h"
#include "engine/vm/builtins/tensor_checks.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

constexpr double kGreedyBelow = 1e-6;  // temperatures that take the likeliest token
/// Tokens this many times less likely than the sum asked for cannot be among the likeliest that make it up,
/// unless there are more than as many.
constexpr float kUnlikely = 1024.0F;

struct Candidate {
  float weight = 0.0F;
  std::int64_t token = 0;
};

/// Argument `index` as floats, of which there is at least one.
std::span<float> floats(const Arguments& arguments, std::int32_t index) {
  const DLTensor& tensor = hostTensor(arguments, index);
  if (tensor.dtype.code != kDLFloat || tensor.dtype.bits != 32 || tensor.dtype.lanes != 1) {
    arguments.failType(index, "a tensor of float32");
  }
  const std::int64_t count = elementCount(tensor);
  if (tensor.ndim == 0 || count == 0) {
    arguments.failValue(fmt::format("argument {} is empty", index));
  }
  return {elementsOf<float>(tensor), static_cast<std::size_t>(count)};
}

std::span<const std::int32_t> tokens(const Arguments& arguments, std::int32_t index) {
  const DLTensor& tensor = hostTensor(arguments, index);
  if (tensor.dtype.code != kDLInt || tensor.dtype.bits != 32 || tensor.dtype.lanes != 1) {
    arguments.failType(index, "a tensor of int32");
  }
  return {elementsOf<std::int32_t>(tensor), static_cast<std::size_t>(elementCount(tensor))};
}

/// The same for tensors that describe one token: all dimensions but the last are 1.
std::span<float> oneRow(const Arguments& arguments, std::int32_t index) {
  const std::span<float> values = floats(arguments, index);
  const DLTensor& tensor = arguments.tensor(index);
  if (static_cast<std::int64_t>(values.size()) != tensor.shape[tensor.ndim - 1]) {
    arguments.failValue(
        fmt::format("argument {} should describe one token: all its dimensions but the last should "
                    "be 1",
                    index));
  }
  return values;
}

void requireNumbers(const Arguments& arguments, std::span<const float> values) {
  if (std::any_of(values.begin(), values.end(), [](float value) { return std::isnan(value); })) {
    arguments.failValue("there are NaNs among the values, so no token can be chosen");
  }
}

void sortByWeight(std::vector<Candidate>& candidates) {
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& left, const Candidate& right) {
    return left.weight != right.weight ? left.weight > right.weight : left.token < right.token;
  });
}

/// Of sorted candidates, the one at `random` in [0, 1) of the likeliest that make up `topP` of `total`. Sets
/// `enough` to whether they do.
std::int64_t choose(std::span<const Candidate> sorted, float total, double topP, double random,
                    bool& enough) {
  float sum = 0.0F;
  std::size_t count = 0;
  while (count < sorted.size() && sum < static_cast<float>(topP)) {
    sum += sorted[count++].weight / total;
  }
  enough = sum >= static_cast<float>(topP);
  float reached = 0.0F;
  for (const Candidate& candidate : sorted.first(count)) {
    reached += candidate.weight / total;
    if (random < reached / sum) {
      return candidate.token;
    }
  }
  return sorted[count == 0 ? 0 : count - 1].token;
}

// (logits, temperature, top p, random number) -> token
void sampleTopPFromLogits(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.sample_top_p_from_logits", packed);
  arguments.requireCount(4, 4);
  const std::span<const float> logits = oneRow(arguments, 0);
  requireNumbers(arguments, logits);
  const auto largest = std::max_element(logits.begin(), logits.end());
  const double temperature = number(arguments, 1);
  if (temperature < kGreedyBelow) {
    *result = static_cast<std::int64_t>(largest - logits.begin());
    return;
  }
  std::vector<Candidate> candidates;
  candidates.reserve(logits.size());
  float total = 0.0F;
  const auto scale = static_cast<float>(1.0 / temperature);
  for (const float logit : logits) {
    // Infinite logits are as likely as each other.
    const float weight = logit == *largest ? 1.0F : std::exp((logit - *largest) * scale);
    candidates.push_back({weight, static_cast<std::int64_t>(candidates.size())});
    total += weight;
  }
  sortByWeight(candidates);
  bool enough = false;
  *result = choose(candidates, total, number(arguments, 2), number(arguments, 3), enough);
}

// (probabilities, top p, random number) -> token
void sampleTopPFromProb(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.sample_top_p_from_prob", packed);
  arguments.requireCount(3, 3);
  const std::span<const float> probabilities = oneRow(arguments, 0);
  requireNumbers(arguments, probabilities);
  const double topP = number(arguments, 1);
  const double random = number(arguments, 2);
  // Most tokens are too unlikely to matter, so a few are sorted first, and all only when they do not suffice.
  const std::array cutoffs = {topP < 1.0 ? static_cast<float>(topP) / kUnlikely : 0.0F, 0.0F};
  for (const float cutoff : cutoffs) {
    std::vector<Candidate> candidates;
    for (std::size_t token = 0; token < probabilities.size(); ++token) {
      if (probabilities[token] >= cutoff) {
        candidates.push_back({probabilities[token], static_cast<std::int64_t>(token)});
      }
    }
    if (candidates.empty()) {
      continue;
    }
    sortByWeight(candidates);
    // As TVM does: the likeliest token is taken up to its share of `topP` itself.
    if (random < candidates.front().weight / topP) {
      *result = candidates.front().token;
      return;
    }
    bool enough = false;
    const std::int64_t token = choose(candidates, 1.0F, topP, random, enough);
    if (enough || cutoff == 0.0F) {
      *result = token;
      return;
    }
  }
  arguments.failValue("all probabilities are negative");
}

// (probabilities [batch, ..., tokens], random numbers [batch, 1]) -> int64 tokens [batch, 1]
void multinomialFromUniform(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("vm.builtin.multinomial_from_uniform", packed);
  arguments.requireCount(2, 2);
  const std::span<const float> probabilities = floats(arguments, 0);
  const std::span<const float> random = floats(arguments, 1);
  const DLTensor& tensor = arguments.tensor(0);
  const std::int64_t batch = tensor.shape[0];
  const auto width = static_cast<std::size_t>(tensor.shape[tensor.ndim - 1]);
  if (tensor.ndim < 2 || probabilities.size() != static_cast<std::size_t>(batch) * width ||
      random.size() < static_cast<std::size_t>(batch)) {
    arguments.failValue(
        fmt::format("{} probabilities and {} random numbers are no batch of one row and one number "
                    "each",
                    probabilities.size(), random.size()));
  }
  runtime::StorageAllocator allocator(runtime::AllocatorKind::Naive);
  const std::int64_t shape[] = {batch, 1};
  ffi::Tensor chosen =
      runtime::emptyTensor(allocator, {shape, 2}, DLDataType{kDLInt, 64, 1}, DLDevice{kDLCPU, 0});
  auto* out = static_cast<std::int64_t*>(chosen.data_ptr());
  for (std::int64_t row = 0; row < batch; ++row) {
    const std::span<const float> weights =
        probabilities.subspan(static_cast<std::size_t>(row) * width, width);
    float reached = 0.0F;
    std::size_t token = 0;
    while (token < width && (reached += weights[token]) <= random[static_cast<std::size_t>(row)]) {
      ++token;
    }
    out[row] = static_cast<std::int64_t>(std::min(token, width - 1));
  }
  *result = chosen;
}

std::size_t placeOf(const Arguments& arguments, std::int32_t token, std::size_t count) {
  if (token < 0 || static_cast<std::size_t>(token) >= count) {
    arguments.failValue(fmt::format("token {} is not one of the {} that there are logits for", token, count));
  }
  return static_cast<std::size_t>(token);
}

// (logits, tokens that were there already, penalty): makes them less likely, in place
void applyRepetitionPenalty(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.apply_repetition_penalty", packed);
  arguments.requireCount(3, 3);
  const std::span<float> logits = oneRow(arguments, 0);
  const std::span<const std::int32_t> seen = tokens(arguments, 1);
  const double penalty = number(arguments, 2);
  if (!(penalty > 0.0)) {
    arguments.failValue(fmt::format("the penalty should be positive, got {}", penalty));
  }
  for (const std::int32_t token : seen) {
    static_cast<void>(placeOf(arguments, token, logits.size()));
  }
  for (const std::int32_t token : seen) {
    float& logit = logits[static_cast<std::size_t>(token)];
    logit = static_cast<float>(logit <= 0.0F ? logit * penalty : logit / penalty);
  }
}

// (logits, tokens, how often each was there, presence penalty, frequency penalty): in place
void applyPresenceAndFrequencyPenalty(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.apply_presence_and_frequency_penalty", packed);
  arguments.requireCount(5, 5);
  const std::span<float> logits = oneRow(arguments, 0);
  const std::span<const std::int32_t> seen = tokens(arguments, 1);
  const std::span<const std::int32_t> counts = tokens(arguments, 2);
  if (seen.size() != counts.size()) {
    arguments.failValue(fmt::format("{} tokens need as many counts, got {}", seen.size(), counts.size()));
  }
  for (const std::int32_t token : seen) {
    static_cast<void>(placeOf(arguments, token, logits.size()));
  }
  const double presence = number(arguments, 3);
  const double frequency = number(arguments, 4);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    float& logit = logits[static_cast<std::size_t>(seen[i])];
    logit = static_cast<float>(logit - (counts[i] * frequency + presence));
  }
}

void softmaxRow(std::span<float> row, float scale) {
  const float largest = *std::max_element(row.begin(), row.end());
  double total = 0.0;
  for (float& value : row) {
    value = value == largest ? 1.0F : std::exp((value - largest) * scale);
    total += value;
  }
  for (float& value : row) {
    value = static_cast<float>(value / total);
  }
}

// (logits, temperature): each row becomes probabilities, in place
void applySoftmaxWithTemperature(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("vm.builtin.apply_softmax_with_temperature", packed);
  arguments.requireCount(2, 2);
  const std::span<float> logits = floats(arguments, 0);
  requireNumbers(arguments, logits);
  const double temperature = number(arguments, 1);
  if (!(temperature > 0.0)) {
    arguments.failValue(fmt::format("the temperature should be positive, got {}", temperature));
  }
  const DLTensor& tensor = arguments.tensor(0);
  const auto width = static_cast<std::size_t>(tensor.shape[tensor.ndim - 1]);
  for (std::size_t first = 0; first < logits.size(); first += width) {
    softmaxRow(logits.subspan(first, width), static_cast<float>(1.0 / temperature));
  }
}

constexpr std::array kBuiltins = {
    Builtin{"vm.builtin.sample_top_p_from_logits", sampleTopPFromLogits},
    Builtin{"vm.builtin.sample_top_p_from_prob", sampleTopPFromProb},
    Builtin{"vm.builtin.multinomial_from_uniform", multinomialFromUniform},
    Builtin{"vm.builtin.apply_repetition_penalty", applyRepetitionPenalty},
    Builtin{"vm.builtin.apply_presence_and_frequency_penalty", applyPresenceAndFrequencyPenalty},
    Builtin{"vm.builtin.apply_softmax_with_temperature", applySoftmaxWithTemperature},
};

}  // namespace

std::span<const Builtin> samplingBuiltins() {
  return kBuiltins;
}

}  // namespace opscope::vm
