// SPDX-License-Identifier: Apache-2.0
// tvm.contrib.sort.*: called by kernels that TVM makes for sort, argsort, topk and non-maximum suppression.
// Order as TVM's: comparisons with < and >, so not-a-number values are equal to everything and stay where the
// sorting algorithm leaves them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <type_traits>
#include <vector>

#include "engine/vm/builtins/arguments.h"
#include "engine/vm/builtins/element_types.h"
#include "engine/vm/builtins/families.h"
#include "engine/vm/builtins/tensor_checks.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

template <class Number>
struct Ranked {
  std::int64_t index;
  Number number;
};

// The lines of a tensor along one axis: `before` * `after` of them, elements `after` apart.
struct Lines {
  std::int64_t before = 1;
  std::int64_t length = 1;
  std::int64_t after = 1;

  // Calls `visit` for each line with its place before and after the axis.
  template <class Visitor>
  void forEach(Visitor&& visit) const {
    for (std::int64_t outer = 0; outer < before; ++outer) {
      for (std::int64_t inner = 0; inner < after; ++inner) {
        visit(outer, inner);
      }
    }
  }
};

Lines linesAlong(const Arguments& arguments, const DLTensor& tensor, std::int64_t axis) {
  const std::int64_t rank = tensor.ndim;
  const std::int64_t position = axis < 0 ? axis + rank : axis;
  if (position < 0 || position >= rank) {
    arguments.failValue(fmt::format("axis {} is not one of a tensor with {} dimensions", axis, rank));
  }
  Lines lines;
  for (std::int64_t at = 0; at < rank; ++at) {
    std::int64_t& part = at < position ? lines.before : at == position ? lines.length : lines.after;
    part *= tensor.shape[at];
  }
  return lines;
}

void requireCount(const Arguments& arguments, const DLTensor& output, std::int64_t count) {
  if (elementCount(output) != count) {
    arguments.failValue(
        fmt::format("the output has {} elements, {} are needed", elementCount(output), count));
  }
}

template <class Number>
void sortStably(std::vector<Ranked<Number>>& line, bool ascending) {
  using Item = Ranked<Number>;
  if (ascending) {
    std::stable_sort(line.begin(), line.end(),
                     [](const Item& left, const Item& right) { return left.number < right.number; });
  } else {
    std::stable_sort(line.begin(), line.end(),
                     [](const Item& left, const Item& right) { return left.number > right.number; });
  }
}

template <class T>
void loadLine(const T* first, std::int64_t length, std::int64_t stride,
              std::vector<Ranked<NumberOf<T>>>& line) {
  line.clear();
  for (std::int64_t index = 0; index < length; ++index) {
    line.push_back({index, toNumber(first[index * stride])});
  }
}

// Writes indices in the element type of the output, which models choose freely.
class IndexWriter {
 public:
  IndexWriter(const Arguments& arguments, const DLTensor& output) : m_output(output) {
    const bool known = visitElementType(output.dtype, [this](auto element) {
      using T = decltype(element);
      if constexpr (std::is_arithmetic_v<T>) {
        m_write = [](const DLTensor& tensor, std::int64_t at, std::int64_t index) {
          elementsOf<T>(tensor)[at] = static_cast<T>(index);
        };
      }
    });
    if (!known || m_write == nullptr) {
      failElementType(arguments, output.dtype);
    }
  }
  void write(std::int64_t at, std::int64_t index) const { m_write(m_output, at, index); }

 private:
  const DLTensor& m_output;
  void (*m_write)(const DLTensor&, std::int64_t, std::int64_t) = nullptr;
};

template <class Visitor>
void visitElements(const Arguments& arguments, const DLTensor& input, Visitor&& visit) {
  if (!visitElementType(input.dtype, visit)) {
    failElementType(arguments, input.dtype);
  }
}

// What sort and argsort take: (input, output, axis, ascending).
struct SortArguments {
  explicit SortArguments(const Arguments& arguments)
      : input(hostTensor(arguments, 0)),
        output(hostTensor(arguments, 1)),
        lines(linesAlong(arguments, input, arguments.integer(2))),
        ascending(arguments.integer(3) != 0) {
    requireCount(arguments, output, elementCount(input));
  }

  const DLTensor& input;
  const DLTensor& output;
  Lines lines;
  bool ascending;
};

// Calls `visit(first, line, scratch)` for each line of the input: where it begins, what it holds in order,
// and room for a line of the input's elements.
template <class Visitor>
void forEachSorted(const Arguments& arguments, const SortArguments& what, Visitor&& visit) {
  visitElements(arguments, what.input, [&](auto element) {
    using T = decltype(element);
    std::vector<Ranked<NumberOf<T>>> line;
    std::vector<T> scratch(static_cast<std::size_t>(what.lines.length));
    what.lines.forEach([&](std::int64_t outer, std::int64_t inner) {
      const std::int64_t first = outer * what.lines.length * what.lines.after + inner;
      loadLine(elementsOf<const T>(what.input) + first, what.lines.length, what.lines.after, line);
      sortStably(line, what.ascending);
      visit(first, line, scratch);
    });
  });
}

// The output holds indices.
void argsort(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("tvm.contrib.sort.argsort", packed);
  arguments.requireCount(4, 4);
  const SortArguments what(arguments);
  const IndexWriter writer(arguments, what.output);
  forEachSorted(arguments, what, [&](std::int64_t first, const auto& line, const auto& /*scratch*/) {
    for (std::int64_t index = 0; index < what.lines.length; ++index) {
      writer.write(first + index * what.lines.after, line[static_cast<std::size_t>(index)].index);
    }
  });
}

// The output is of the same type as the input.
void sort(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("tvm.contrib.sort.sort", packed);
  arguments.requireCount(4, 4);
  const SortArguments what(arguments);
  if (std::memcmp(&what.input.dtype, &what.output.dtype, sizeof(DLDataType)) != 0) {
    arguments.failValue("input and output have different element types");
  }
  forEachSorted(arguments, what, [&](std::int64_t first, const auto& line, auto& sorted) {
    using T = typename std::remove_reference_t<decltype(sorted)>::value_type;
    const T* from = elementsOf<const T>(what.input);
    T* to = elementsOf<T>(what.output);
    // Copied by way of `sorted`, since input and output may be one tensor.
    for (std::size_t index = 0; index < sorted.size(); ++index) {
      sorted[index] = from[first + line[index].index * what.lines.after];
    }
    for (std::size_t index = 0; index < sorted.size(); ++index) {
      to[first + static_cast<std::int64_t>(index) * what.lines.after] = sorted[index];
    }
  });
}

// Leaves the first `count` of the line in order, equal ones by index, as TVM's heap does.
template <class Number>
void keepFirst(std::vector<Ranked<Number>>& line, std::size_t count, bool ascending) {
  using Item = Ranked<Number>;
  const auto before = [ascending](const Item& left, const Item& right) {
    if (left.number == right.number) {
      return left.index < right.index;
    }
    return ascending ? left.number < right.number : left.number > right.number;
  };
  // A heap of the best so far with the last of them in front. A selection algorithm would be out of its depth
  // with numbers that compare with nothing.
  std::vector<Item> heap(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(count));
  std::make_heap(heap.begin(), heap.end(), before);
  for (std::size_t index = count; count > 0 && index < line.size(); ++index) {
    if (before(line[index], heap.front())) {
      heap.push_back(line[index]);
      std::push_heap(heap.begin(), heap.end(), before);
      std::pop_heap(heap.begin(), heap.end(), before);
      heap.pop_back();
    }
  }
  std::stable_sort(heap.begin(), heap.end(), before);
  line = std::move(heap);
}

struct TopkOutputs {
  const DLTensor* values = nullptr;
  const DLTensor* indices = nullptr;
};

TopkOutputs topkOutputs(const Arguments& arguments) {
  const std::string kind = arguments.text(arguments.size() - 2);
  const std::int32_t outputs = arguments.size() - 5;
  if (kind == "both" && outputs == 2) {
    return {&hostTensor(arguments, 1), &hostTensor(arguments, 2)};
  }
  if (kind == "values" && outputs == 1) {
    return {&hostTensor(arguments, 1), nullptr};
  }
  if (kind == "indices" && outputs == 1) {
    return {nullptr, &hostTensor(arguments, 1)};
  }
  arguments.failValue(fmt::format(
      "return type \"{}\" with {} outputs; expected both with 2, values or indices with 1", kind, outputs));
}

// (input, outputs..., k, axis, "both" | "values" | "indices", ascending); k below 1 means all
void topk(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("tvm.contrib.sort.topk", packed);
  arguments.requireCount(6, 7);
  const DLTensor& input = hostTensor(arguments, 0);
  const TopkOutputs outputs = topkOutputs(arguments);
  const std::int64_t wanted = arguments.integer(arguments.size() - 4);
  const Lines lines = linesAlong(arguments, input, arguments.integer(arguments.size() - 3));
  const bool ascending = arguments.integer(arguments.size() - 1) != 0;
  const std::int64_t k = wanted < 1 ? lines.length : wanted;
  // Longer than the line: the rest of the output is left as it is.
  const std::int64_t kept = std::min(k, lines.length);
  for (const DLTensor* output : {outputs.values, outputs.indices}) {
    std::int64_t needed = 0;
    if (output != nullptr && __builtin_mul_overflow(lines.before * lines.after, k, &needed)) {
      arguments.failValue(fmt::format("k is {}", k));
    }
    if (output != nullptr) {
      requireCount(arguments, *output, needed);
    }
  }
  if (outputs.values != nullptr &&
      std::memcmp(&input.dtype, &outputs.values->dtype, sizeof(DLDataType)) != 0) {
    arguments.failValue("input and output of values have different element types");
  }
  const std::optional<IndexWriter> writer =
      outputs.indices != nullptr ? std::optional<IndexWriter>(std::in_place, arguments, *outputs.indices)
                                 : std::nullopt;
  visitElements(arguments, input, [&](auto element) {
    using T = decltype(element);
    std::vector<Ranked<NumberOf<T>>> line;
    lines.forEach([&](std::int64_t outer, std::int64_t inner) {
      const std::int64_t first = outer * lines.length * lines.after + inner;
      loadLine(elementsOf<const T>(input) + first, lines.length, lines.after, line);
      keepFirst(line, static_cast<std::size_t>(kept), ascending);
      for (std::int64_t index = 0; index < kept; ++index) {
        const std::int64_t source = line[static_cast<std::size_t>(index)].index;
        const std::int64_t target = (outer * k + index) * lines.after + inner;
        if (writer) {
          writer->write(target, source);
        }
        if (outputs.values != nullptr) {
          elementsOf<T>(*outputs.values)[target] = elementsOf<const T>(input)[first + source * lines.after];
        }
      }
    });
  });
}

// (input, int32 number of elements to sort in each line, int32 output of indices, axis, ascending): the rest
// of each line keeps its own positions
void argsortNms(ffi::PackedArgs packed, ffi::Any*) {
  const Arguments arguments("tvm.contrib.sort.argsort_nms", packed);
  arguments.requireCount(5, 5);
  const DLTensor& input = hostTensor(arguments, 0);
  const DLTensor& counts = hostTensor(arguments, 1);
  const DLTensor& output = hostTensor(arguments, 2);
  const Lines lines = linesAlong(arguments, input, arguments.integer(3));
  const bool ascending = arguments.integer(4) != 0;
  requireCount(arguments, output, elementCount(input));
  for (const DLTensor* tensor : {&counts, &output}) {
    if (tensor->dtype.code != kDLInt || tensor->dtype.bits != 32 || tensor->dtype.lanes != 1) {
      failElementType(arguments, tensor->dtype);
    }
  }
  if (elementCount(counts) != lines.before * lines.after) {
    arguments.failValue(
        fmt::format("{} counts for {} lines", elementCount(counts), lines.before * lines.after));
  }
  visitElements(arguments, input, [&](auto element) {
    using T = decltype(element);
    std::vector<Ranked<NumberOf<T>>> line;
    lines.forEach([&](std::int64_t outer, std::int64_t inner) {
      const std::int64_t count = elementsOf<const std::int32_t>(counts)[outer * lines.after + inner];
      if (count > lines.length) {
        arguments.failValue(fmt::format("{} elements to sort in a line of {}", count, lines.length));
      }
      const std::int64_t first = outer * lines.length * lines.after + inner;
      loadLine(elementsOf<const T>(input) + first, count, lines.after, line);
      sortStably(line, ascending);
      for (std::int64_t index = 0; index < lines.length; ++index) {
        const std::int64_t source = index < count ? line[static_cast<std::size_t>(index)].index : index;
        elementsOf<std::int32_t>(output)[first + index * lines.after] = static_cast<std::int32_t>(source);
      }
    });
  });
}

constexpr std::array kBuiltins = {
    Builtin{"tvm.contrib.sort.argsort", argsort},
    Builtin{"tvm.contrib.sort.sort", sort},
    Builtin{"tvm.contrib.sort.topk", topk},
    Builtin{"tvm.contrib.sort.argsort_nms", argsortNms},
};

}  // namespace

std::span<const Builtin> sortBuiltins() {
  return kBuiltins;
}

}  // namespace opscope::vm
