// SPDX-License-Identifier: Apache-2.0
// tvm.contrib.random.*: fills tensors with random numbers. Generator, distributions and seeding are those of
// TVM's (mt19937 and the standard library's distributions), so that equal seeds give equal numbers.
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <limits>
#include <random>

#include "engine/vm/builtins/arguments.h"
#include "engine/vm/builtins/element_types.h"
#include "engine/vm/builtins/families.h"
#include "engine/vm/builtins/tensor_checks.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

using Engine = std::mt19937;

// One generator a thread, as TVM has it: the calls carry no handle from which another could be reached.
Engine& threadEngine() {
  thread_local Engine engine(
      static_cast<unsigned>(std::chrono::system_clock::now().time_since_epoch() / std::chrono::seconds(1)));
  return engine;
}

// The finishing function of splitmix64.
std::uint64_t scramble(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15ULL;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 31);
}

// TVM's way to make one 32-bit seed of the two that a seeded op carries.
unsigned joinSeeds(std::int64_t first, std::int64_t second) {
  const auto bits = static_cast<std::uint64_t>(first);
  const std::uint64_t other =
      scramble(static_cast<std::uint64_t>(second)) + 0x9E3779B97F4A7C15ULL + (bits << 6) + (bits >> 2);
  const std::uint64_t joined = scramble(bits) ^ other;
  return static_cast<unsigned>((joined >> 32) ^ joined);
}

double number(const Arguments& arguments, std::int32_t index) {
  if (const auto value = arguments.at(index).try_cast<double>()) {
    return *value;
  }
  arguments.failType(index, "a number");
}

const DLTensor& floatOutput(const Arguments& arguments, std::int32_t index) {
  const DLTensor& output = hostTensor(arguments, index);
  if (output.dtype.code != kDLFloat || output.dtype.bits != 32 || output.dtype.lanes != 1) {
    failElementType(arguments, output.dtype);
  }
  return output;
}

template <class Distribution>
void fill(Engine& engine, Distribution distribution, const DLTensor& output) {
  float* elements = elementsOf<float>(output);
  for (std::int64_t index = 0, count = elementCount(output); index < count; ++index) {
    elements[index] = distribution(engine);
  }
}

// ([seed, second seed,] two numbers of the distribution, output). With seeds other than 0, 0 every call gives
// the same numbers and leaves the thread's generator alone.
template <class MakeDistribution>
void fillSeeded(const Arguments& arguments, const MakeDistribution& makeDistribution) {
  if (arguments.size() != 3 && arguments.size() != 5) {
    raise("TypeError", fmt::format("{} takes 3 or 5 arguments, got {}", arguments.name(), arguments.size()));
  }
  const std::int32_t first = arguments.size() - 3;
  const auto distribution = makeDistribution(static_cast<float>(number(arguments, first)),
                                             static_cast<float>(number(arguments, first + 1)));
  const DLTensor& output = floatOutput(arguments, first + 2);
  const std::int64_t seed = first == 2 ? arguments.integer(0) : 0;
  const std::int64_t second = first == 2 ? arguments.integer(1) : 0;
  if (seed == 0 && second == 0) {
    fill(threadEngine(), distribution, output);
  } else {
    Engine engine(joinSeeds(seed, second));
    fill(engine, distribution, output);
  }
}

void uniform(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("tvm.contrib.random.uniform", packed);
  fillSeeded(arguments, [&](float low, float high) {
    if (!(high > low)) {
      arguments.failValue(fmt::format("the upper end {} is not above the lower end {}", high, low));
    }
    return std::uniform_real_distribution<float>(low, high);
  });
}

void normal(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("tvm.contrib.random.normal", packed);
  fillSeeded(arguments, [&](float mean, float deviation) {
    if (!(deviation > 0)) {
      arguments.failValue(fmt::format("the standard deviation {} is not above 0", deviation));
    }
    return std::normal_distribution<float>(mean, deviation);
  });
}

template <class T>
constexpr bool isRandintType = std::is_integral_v<T> && sizeof(T) <= 4;

// (low, high, output): integers from low to below high, cut to what the type holds
void randint(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("tvm.contrib.random.randint", packed);
  arguments.requireCount(3, 3);
  const std::int64_t low = arguments.integer(0);
  const std::int64_t high = arguments.integer(1);
  const DLTensor& output = hostTensor(arguments, 2);
  Engine& engine = threadEngine();
  const bool known = visitElementType(output.dtype, [&](auto element) {
    using T = decltype(element);
    if constexpr (isRandintType<T>) {
      const std::int64_t least = std::max<std::int64_t>(low, std::numeric_limits<T>::min());
      const std::int64_t end = std::min<std::int64_t>(high, std::int64_t{std::numeric_limits<T>::max()} + 1);
      if (least >= end) {
        arguments.failValue(fmt::format("no number of the type lies between {} and {}", low, high));
      }
      for (std::int64_t index = 0, count = elementCount(output); index < count; ++index) {
        const auto offset = static_cast<std::int64_t>(engine()) % (end - least);
        elementsOf<T>(output)[index] = static_cast<T>(least + offset);
      }
    } else {
      failElementType(arguments, output.dtype);
    }
  });
  if (!known || output.dtype.code == kDLBool) {
    failElementType(arguments, output.dtype);
  }
}

// Rounds to nearest, ties to even; only for the range that fillAny draws from.
Half toHalf(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = bits - (112U << 23) + 0xFFFU + ((bits >> 13) & 1U);
  return {static_cast<std::uint16_t>(rounded >> 13)};
}

// TVM draws from [1, 10), never 0, and stores by width alone: 8 bits as integers, others as floats.
void fillAny(const Arguments& arguments, const DLTensor& output) {
  std::uniform_real_distribution<double> distribution(1.0, 10.0);
  Engine& engine = threadEngine();
  for (std::int64_t index = 0, count = elementCount(output); index < count; ++index) {
    switch (output.dtype.lanes == 1 ? output.dtype.bits : 0) {
      case 8:
        elementsOf<std::uint8_t>(output)[index] = static_cast<std::uint8_t>(distribution(engine));
        break;
      case 16:
        elementsOf<Half>(output)[index] = toHalf(static_cast<float>(distribution(engine)));
        break;
      case 32:
        elementsOf<float>(output)[index] = static_cast<float>(distribution(engine));
        break;
      case 64:
        elementsOf<double>(output)[index] = distribution(engine);
        break;
      default:
        failElementType(arguments, output.dtype);
    }
  }
}

void randomFill(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("tvm.contrib.random.random_fill", packed);
  arguments.requireCount(1, 1);
  fillAny(arguments, hostTensor(arguments, 0));
}

void randomFillForMeasure(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("tvm.contrib.random.random_fill_for_measure", packed);
  arguments.requireCount(1, 1);
  fillAny(arguments, hostTensor(arguments, 0));
}

// (seed): starts the thread's generator anew; for programs made for older versions of TVM
void seed(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("tvm.contrib.random.seed", packed);
  arguments.requireCount(1, 1);
  threadEngine().seed(static_cast<unsigned>(arguments.integer(0)));
}

constexpr std::array kBuiltins = {
    Builtin{"tvm.contrib.random.uniform", uniform},
    Builtin{"tvm.contrib.random.normal", normal},
    Builtin{"tvm.contrib.random.randint", randint},
    Builtin{"tvm.contrib.random.random_fill", randomFill},
    Builtin{"tvm.contrib.random.random_fill_for_measure", randomFillForMeasure},
    Builtin{"tvm.contrib.random.seed", seed},
};

}  // namespace

std::span<const Builtin> randomBuiltins() {
  return kBuiltins;
}

}  // namespace opscope::vm
