// SPDX-License-Identifier: Apache-2.0
// A point in steady time at which waiting ends, or none. A value; any thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace opscope::rpc {

class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  static Deadline none() { return Deadline(std::nullopt); }
  static Deadline at(Clock::time_point point) { return Deadline(point); }
  /// `time` from now on; a negative one is over already.
  static Deadline after(std::chrono::milliseconds time) { return Deadline(Clock::now() + time); }

  bool isNone() const { return !m_point.has_value(); }
  bool expired() const { return m_point.has_value() && Clock::now() >= *m_point; }
  /// Time that is left, at least 0 and at most `most`; `most` when there is none.
  std::chrono::milliseconds left(std::chrono::milliseconds most) const {
    if (!m_point.has_value()) {
      return most;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*m_point - Clock::now());
    return std::clamp(left, std::chrono::milliseconds(0), most);
  }
  /// The earlier of two.
  friend Deadline earlier(Deadline left, Deadline right) {
    if (left.isNone() || right.isNone()) {
      return left.isNone() ? right : left;
    }
    return Deadline(std::min(*left.m_point, *right.m_point));
  }

 private:
  explicit Deadline(std::optional<Clock::time_point> point) : m_point(point) {}

  std::optional<Clock::time_point> m_point;
};

}  // namespace opscope::rpc
