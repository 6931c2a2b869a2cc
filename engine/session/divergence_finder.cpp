// SPDX-License-Identifier: Apache-2.0
#include "engine/session/divergence_finder.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/profile/call_watch.h"
#include "engine/session/call_alignment.h"
#include "engine/vm/signature.h"
#include "engine/vm/value_text.h"

namespace opscope::session {

namespace {

/// One side of a comparison. `bytes` may be null: this side has no such tensor.
struct Side {
  std::string place;
  std::string typeName;
  std::vector<std::int64_t> shape;
  std::span<const std::byte> bytes;
  std::string description() const { return typeName + " " + vm::shapeText(shape); }
};

std::string descriptionOf(const RecordedTensor& tensor) {
  return vm::dataTypeName(tensor.type) + " " + vm::shapeText(tensor.shape);
}

std::string positionOf(const std::vector<std::int64_t>& shape, std::uint64_t index) {
  DLTensor shaped{};
  shaped.ndim = static_cast<std::int32_t>(shape.size());
  shaped.shape = const_cast<std::int64_t*>(shape.data());
  return profile::positionText(shaped, index);
}

TensorDifference compareSides(const Side& a, const Side& b, Tolerance tolerance) {
  TensorDifference difference;
  difference.place = a.place;
  difference.descriptionA = a.description();
  difference.descriptionB = b.description();
  const auto typeA = arrays::elementTypeFromName(a.typeName);
  const auto typeB = arrays::elementTypeFromName(b.typeName);
  if (a.shape != b.shape || !typeA || !typeB) {
    difference.comparable =
        a.shape == b.shape && a.typeName == b.typeName && std::ranges::equal(a.bytes, b.bytes);
    return difference;
  }
  difference.elements = a.bytes.size() / arrays::elementBytes(*typeA);
  ValueDifference found = compareValues(*typeA, a.bytes, *typeB, b.bytes, tolerance);
  difference.beyond = found.beyond;
  difference.maxAbsolute = found.maxAbsolute;
  difference.maxRelative = found.maxRelative;
  if (found.beyond > 0) {
    difference.position = positionOf(a.shape, found.firstIndex);
    difference.valueA = std::move(found.valueA);
    difference.valueB = std::move(found.valueB);
  }
  return difference;
}

/// A tensor that one side alone has.
TensorDifference lonely(std::string place, std::string description, bool inA) {
  TensorDifference difference;
  difference.place = std::move(place);
  (inA ? difference.descriptionA : difference.descriptionB) = std::move(description);
  difference.comparable = false;
  return difference;
}

/// Shapes and types that differ are told all the same.
TensorDifference leftOut(const RecordedTensor& a, const RecordedTensor& b) {
  TensorDifference difference;
  difference.place = a.place;
  difference.descriptionA = descriptionOf(a);
  difference.descriptionB = descriptionOf(b);
  difference.isLeftOut = a.shape == b.shape;
  difference.comparable = false;
  return difference;
}

base::Result<ComparedCall> compareCalls(const CallRecording& a, const RecordedCall& callA,
                                        const CallRecording& b, const RecordedCall& callB,
                                        Tolerance tolerance) {
  ComparedCall compared{callA.place, callB.place, {}};
  const std::size_t shared = std::min(callA.outputs.size(), callB.outputs.size());
  for (std::size_t i = 0; i < shared; ++i) {
    const RecordedTensor& tensorA = callA.outputs[i];
    const RecordedTensor& tensorB = callB.outputs[i];
    if (!tensorA.isKept || !tensorB.isKept) {
      compared.outputs.push_back(leftOut(tensorA, tensorB));
      continue;
    }
    OPSCOPE_TRY_ASSIGN(const std::vector<std::byte> bytesA, a.read(tensorA));
    OPSCOPE_TRY_ASSIGN(const std::vector<std::byte> bytesB, b.read(tensorB));
    compared.outputs.push_back(
        compareSides({tensorA.place, vm::dataTypeName(tensorA.type), tensorA.shape, bytesA},
                     {tensorB.place, vm::dataTypeName(tensorB.type), tensorB.shape, bytesB}, tolerance));
  }
  for (std::size_t i = shared; i < callA.outputs.size(); ++i) {
    compared.outputs.push_back(lonely(callA.outputs[i].place, descriptionOf(callA.outputs[i]), true));
  }
  for (std::size_t i = shared; i < callB.outputs.size(); ++i) {
    compared.outputs.push_back(lonely(callB.outputs[i].place, descriptionOf(callB.outputs[i]), false));
  }
  return compared;
}

Side sideOf(const arrays::NamedArray& named) {
  return {named.key,
          arrays::elementTypeName(named.array.type()),
          named.array.shape(),
          {named.array.data(), named.array.byteSize()}};
}

const arrays::NamedArray* findArray(const Outputs& outputs, const std::string& key) {
  const auto found = std::ranges::find(outputs.arrays, key, &arrays::NamedArray::key);
  return found == outputs.arrays.end() ? nullptr : &*found;
}

std::vector<TensorDifference> compareResults(const Outputs& a, const Outputs& b, Tolerance tolerance) {
  std::vector<TensorDifference> results;
  for (const arrays::NamedArray& array : a.arrays) {
    const arrays::NamedArray* other = findArray(b, array.key);
    results.push_back(other != nullptr ? compareSides(sideOf(array), sideOf(*other), tolerance)
                                       : lonely(array.key, arrays::describeArray(array.array), true));
  }
  for (const arrays::NamedArray& array : b.arrays) {
    if (findArray(a, array.key) == nullptr) {
      results.push_back(lonely(array.key, arrays::describeArray(array.array), false));
    }
  }
  return results;
}

std::string outputsText(const RecordedCall& call) {
  std::string text;
  for (const RecordedTensor& output : call.outputs) {
    text += (text.empty() ? "" : ", ") + descriptionOf(output);
  }
  return text;
}

std::vector<CallKey> keysOf(const std::vector<RecordedCall>& calls) {
  std::vector<CallKey> keys;
  keys.reserve(calls.size());
  for (const RecordedCall& call : calls) {
    CallKey key{call.place.name, {}};
    for (const RecordedTensor& output : call.outputs) {
      key.shapes += vm::shapeText(output.shape);
    }
    keys.push_back(std::move(key));
  }
  return keys;
}

/// The calls that are on no pair's side.
template <class Position>
std::vector<UnmatchedCall> unmatched(const std::vector<RecordedCall>& calls, const Alignment& alignment,
                                     Position position) {
  std::vector<bool> isMatched(calls.size(), false);
  for (const auto& pair : alignment.pairs) {
    isMatched[position(pair)] = true;
  }
  std::vector<UnmatchedCall> left;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (!isMatched[i]) {
      left.push_back({calls[i].place, outputsText(calls[i])});
    }
  }
  return left;
}

/// What differs, in words; "" when nothing that is known does.
std::string parameterDifference(const vm::Parameter& a, const vm::Parameter& b) {
  const auto isKnown = [](const vm::Parameter& parameter) {
    return parameter.kind != vm::ParameterKind::Opaque;
  };
  bool same = !isKnown(a) || !isKnown(b) || a.kind == b.kind;
  same = same && (!a.typeKnown || !b.typeKnown || a.type == b.type);
  if (same && a.rankKnown && b.rankKnown) {
    same = a.dimensions.size() == b.dimensions.size();
    for (std::size_t i = 0; same && i < a.dimensions.size(); ++i) {
      const bool bothFixed = !a.dimensions[i].isFree() && !b.dimensions[i].isFree();
      same = !bothFixed || a.dimensions[i].value == b.dimensions[i].value;
    }
  }
  if (same && a.kind == vm::ParameterKind::Tuple && b.kind == a.kind) {
    same = a.members.size() == b.members.size();
    for (std::size_t i = 0; same && i < a.members.size(); ++i) {
      same = parameterDifference(a.members[i], b.members[i]).empty();
    }
  }
  return same ? "" : fmt::format("{} in A, {} in B", vm::describeParameter(a), vm::describeParameter(b));
}

}  // namespace

base::Result<Divergence> findDivergence(const RecordedRun& a, const RecordedRun& b, Tolerance tolerance,
                                        const std::function<bool()>& stopRequested) {
  const std::vector<RecordedCall>& callsA = a.calls->calls();
  const std::vector<RecordedCall>& callsB = b.calls->calls();
  const Alignment alignment = alignCalls(keysOf(callsA), keysOf(callsB));
  Divergence divergence;
  divergence.rtol = tolerance.rtol;
  divergence.atol = tolerance.atol;
  divergence.matching = alignment.matching;
  for (const auto& [first, second] : alignment.pairs) {
    if (stopRequested()) {
      return base::Error{base::ErrorCode::Cancelled, "Stopped.", "", ""};
    }
    OPSCOPE_TRY_ASSIGN(ComparedCall compared,
                       compareCalls(*a.calls, callsA[first], *b.calls, callsB[second], tolerance));
    divergence.calls.push_back(std::move(compared));
  }
  divergence.onlyA = unmatched(callsA, alignment, [](const auto& pair) { return pair.first; });
  divergence.onlyB = unmatched(callsB, alignment, [](const auto& pair) { return pair.second; });
  divergence.results = compareResults(*a.results, *b.results, tolerance);
  divergence.keptBytes = a.calls->keptBytes() + b.calls->keptBytes();
  return divergence;
}

base::Result<> checkSameParameters(const vm::Signature& a, const vm::Signature& b) {
  if (a.parameters.size() != b.parameters.size()) {
    return base::Error{base::ErrorCode::InvalidArgument,
                       fmt::format("{} takes {} parameters in A and {} in B.", a.function,
                                   a.parameters.size(), b.parameters.size()),
                       fmt::format("A: {}\nB: {}", vm::describeSignature(a), vm::describeSignature(b)),
                       "Both get the same inputs, so their parameters must agree."};
  }
  for (std::size_t i = 0; i < a.parameters.size(); ++i) {
    const std::string difference = parameterDifference(a.parameters[i], b.parameters[i]);
    if (!difference.empty()) {
      return base::Error{
          base::ErrorCode::InvalidArgument,
          fmt::format("Parameter {} ({}) of {} is {}.", i, a.parameters[i].name, a.function, difference), "",
          "Both get the same inputs, so their parameters must agree."};
    }
  }
  return {};
}

}  // namespace opscope::session
