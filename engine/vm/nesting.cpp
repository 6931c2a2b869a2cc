// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/nesting.h"

#include <fmt/format.h>
#include <tvm/ffi/container/array.h>

#include <algorithm>
#include <unordered_map>

#include "engine/vm/builtins/arguments.h"
#include "engine/vm/closure.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

/// The values that `value` holds, when it is a tuple or a closure.
std::span<const ffi::Any> held(ffi::AnyView value) {
  if (const auto* tuple = value.as<ffi::ArrayObj>()) {
    return {tuple->begin(), tuple->end()};
  }
  if (const auto* closure = value.as<ClosureObj>()) {
    return closure->captured;
  }
  return {};
}

class DepthFinder {
 public:
  explicit DepthFinder(const char* asker) : m_asker(asker) {}

  /// Levels below and with `value`; raises when they are more than `allowed`.
  int depthOf(ffi::AnyView value, int allowed) {
    const std::span<const ffi::Any> items = held(value);
    if (items.empty()) {
      return 1;
    }
    const bool isFlat = std::ranges::all_of(items, [](const ffi::Any& item) { return held(item).empty(); });
    if (isFlat) {
      return check(2, allowed);
    }
    // A value may be held many times; it is looked into once.
    const void* identity = items.data();
    if (const auto known = m_known.find(identity); known != m_known.end()) {
      return check(known->second, allowed);
    }
    check(2, allowed);
    int deepest = 1;
    for (const ffi::Any& item : items) {
      deepest = std::max(deepest, depthOf(item, allowed - 1));
    }
    m_known.emplace(identity, deepest + 1);
    return deepest + 1;
  }

 private:
  int check(int depth, int allowed) const {
    if (depth > allowed) {
      raise("ValueError",
            fmt::format("{}: tuples and closures would hold each other more than {} levels deep", m_asker,
                        kMostNesting));
    }
    return depth;
  }

  const char* m_asker;
  std::unordered_map<const void*, int> m_known;
};

}  // namespace

void requireShallow(const char* asker, std::span<const ffi::AnyView> values) {
  const bool isFlat = std::ranges::all_of(values, [](ffi::AnyView value) { return held(value).empty(); });
  if (isFlat) {
    return;
  }
  DepthFinder finder(asker);
  for (const ffi::AnyView value : values) {
    finder.depthOf(value, kMostNesting);
  }
}

}  // namespace opscope::vm
