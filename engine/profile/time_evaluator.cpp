// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/time_evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <thread>

#include "engine/base/clock.h"
#include "engine/runtime/device_providers.h"
#include "engine/runtime/ffi_error.h"
#include "engine/runtime/timer.h"

namespace opscope::profile {

namespace {

constexpr double kNsPerMs = 1e6;

/// Pushes what calls have used out of the caches by a copy between two blocks.
class CacheFlush {
 public:
  /// Every page is written, or the copy would read one and the same page of zeros.
  explicit CacheFlush(std::int64_t bytes)
      : m_from(static_cast<std::size_t>(bytes), 1), m_to(static_cast<std::size_t>(bytes), 2) {}

  void flush() {
    if (!m_from.empty()) {
      std::memcpy(m_to.data(), m_from.data(), m_from.size());
      asm volatile("" : : "r"(m_to.data()) : "memory");  // the copy is not left out
    }
  }

 private:
  std::vector<unsigned char> m_from;
  std::vector<unsigned char> m_to;
};

class Evaluation {
 public:
  Evaluation(DLDevice device, const TimeSettings& settings, const TimeCallbacks& callbacks)
      : m_device(device), m_settings(settings), m_callbacks(callbacks), m_number(settings.number) {}

  Timing evaluate() {
    auto done =
        runtime::guarded(base::ErrorCode::KernelFailed, "The time evaluator", [this] { return run(); });
    Timing timing{std::move(m_repeats), std::nullopt};
    if (!done) {
      timing.error = std::move(done).error();
    }
    return timing;
  }

 private:
  base::Result<> run() {
    OPSCOPE_TRY(checkTimeSettings(m_settings));
    if (m_settings.cacheFlushBytes > 0 && m_device.device_type != kDLCPU) {
      return base::Error{base::ErrorCode::Unsupported,
                         fmt::format("Caches of {} cannot be flushed here.", runtime::deviceName(m_device)),
                         "", "Leave out the flush."};
    }
    OPSCOPE_TRY(checkStop());
    OPSCOPE_TRY(m_callbacks.call());  // what is made at the first call is not measured
    CacheFlush flush(m_settings.cacheFlushBytes);
    m_timerNs = emptyTimerNs();
    const std::int64_t begin = base::monotonicNs();
    const auto tell = [&](std::int64_t done) {
      if (m_callbacks.progress) {
        m_callbacks.progress(done, static_cast<double>(base::monotonicNs() - begin));
      }
    };
    tell(0);
    for (std::int64_t repeat = 0; repeat < m_settings.repeat; ++repeat) {
      if (m_callbacks.prepare) {
        OPSCOPE_TRY(m_callbacks.prepare());
      }
      OPSCOPE_TRY_ASSIGN(const RepeatTime time, repeatOnce(flush));
      m_repeats.push_back(time);
      tell(repeat + 1);
      OPSCOPE_TRY(coolDown(repeat));
    }
    return {};
  }

  /// Again with more calls until it takes long enough.
  base::Result<RepeatTime> repeatOnce(CacheFlush& flush) {
    const double minNs = static_cast<double>(m_settings.minRepeatMs) * kNsPerMs;
    std::int64_t zeroTimes = 0;
    while (true) {
      flush.flush();
      OPSCOPE_TRY_ASSIGN(const std::int64_t ns, measure());
      zeroTimes += ns <= 0 ? 1 : 0;
      const auto total = static_cast<double>(ns);
      const bool longEnough = total >= minNs || m_number >= kMostCalls;
      if (longEnough || zeroTimes >= m_settings.limitZeroTimeIterations) {
        return RepeatTime{total / static_cast<double>(m_number), m_number, ns, ns <= 2 * m_timerNs};
      }
      m_number = grownNumber(m_number, total, minNs);
    }
  }

  base::Result<std::int64_t> measure() {
    runtime::synchroniseDevice(m_device);
    const runtime::Timer timer = runtime::Timer::start(m_device);
    for (std::int64_t i = 0; i < m_number; ++i) {
      if (m_callbacks.stopRequested && m_callbacks.stopRequested()) [[unlikely]] {
        return stopped();
      }
      OPSCOPE_TRY(m_callbacks.call());
    }
    timer->stop();
    return std::max<std::int64_t>(timer->syncAndGetElapsedNs(), 0);
  }

  /// Not after the last repeat, since nothing is measured then.
  base::Result<> coolDown(std::int64_t repeat) const {
    const bool isLast = repeat + 1 == m_settings.repeat;
    if (isLast || m_settings.cooldownIntervalMs == 0 || repeat % m_settings.repeatsToCooldown != 0) {
      return {};
    }
    constexpr std::int64_t kSliceNs = 20'000'000;  // a stop need not wait for a long pause
    const std::int64_t end = base::monotonicNs() + m_settings.cooldownIntervalMs * 1'000'000;
    for (std::int64_t left = end - base::monotonicNs(); left > 0; left = end - base::monotonicNs()) {
      OPSCOPE_TRY(checkStop());
      std::this_thread::sleep_for(std::chrono::nanoseconds(std::min(left, kSliceNs)));
    }
    return {};
  }

  std::int64_t emptyTimerNs() const {
    constexpr int kTries = 20;
    std::int64_t best = std::numeric_limits<std::int64_t>::max();
    for (int i = 0; i < kTries; ++i) {
      const runtime::Timer timer = runtime::Timer::start(m_device);
      timer->stop();
      best = std::min(best, timer->syncAndGetElapsedNs());
    }
    return std::max<std::int64_t>(best, 0);
  }

  static base::Error stopped() { return {base::ErrorCode::Cancelled, "Stopped.", "", ""}; }
  base::Result<> checkStop() const {
    return m_callbacks.stopRequested && m_callbacks.stopRequested() ? base::Result<>(stopped())
                                                                    : base::Result<>();
  }

  DLDevice m_device;
  const TimeSettings& m_settings;
  const TimeCallbacks& m_callbacks;
  std::int64_t m_number;  // grows, and stays grown for the repeats that follow
  std::int64_t m_timerNs = 0;
  std::vector<RepeatTime> m_repeats;
};

base::Result<> checkRange(const char* name, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value >= least && value <= most) {
    return {};
  }
  return base::Error{base::ErrorCode::InvalidArgument,
                     fmt::format("{} cannot be {} in a time measurement.", name, value),
                     fmt::format("Expected {} to {}.", least, most), ""};
}

}  // namespace

base::Result<> checkTimeSettings(const TimeSettings& settings) {
  constexpr std::int64_t kMostMs = 24 * 3600 * 1000;
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  OPSCOPE_TRY(checkRange("number", settings.number, 1, kMostCalls));
  OPSCOPE_TRY(checkRange("repeat", settings.repeat, 1, kMostCalls));
  OPSCOPE_TRY(checkRange("min_repeat_ms", settings.minRepeatMs, 0, kMostMs));
  OPSCOPE_TRY(checkRange("limit_zero_time_iterations", settings.limitZeroTimeIterations, 0, kMost));
  OPSCOPE_TRY(checkRange("cooldown_interval_ms", settings.cooldownIntervalMs, 0, kMostMs));
  OPSCOPE_TRY(checkRange("repeats_to_cooldown", settings.repeatsToCooldown, 1, kMost));
  return checkRange("cache_flush_bytes", settings.cacheFlushBytes, 0, kMostBytes);
}

std::int64_t grownNumber(std::int64_t number, double durationNs, double minRepeatNs) {
  if (durationNs <= 0) {
    return number;
  }
  constexpr double kGoldenRatio = 1.618;
  const auto calls = static_cast<double>(number);
  const double estimate = minRepeatNs / (durationNs / calls) + 1;
  return static_cast<std::int64_t>(
      std::min(std::max(estimate, calls * kGoldenRatio), static_cast<double>(kMostCalls)));
}

Timing evaluateTime(DLDevice device, const TimeSettings& settings, const TimeCallbacks& callbacks) {
  return Evaluation(device, settings, callbacks).evaluate();
}

}  // namespace opscope::profile
