// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/builtins/array_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/string.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "engine/vm/builtins/arguments.h"
#include "engine/vm/builtins/element_types.h"
#include "engine/vm/builtins/float_text.h"
#include "engine/vm/builtins/tensor_checks.h"
#include "engine/vm/value_text.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

constexpr std::int64_t kMostElements = 1000;
constexpr std::int64_t kEdgeElements = 3;
constexpr std::size_t kLineWidth = 75;

template <class T>
constexpr FloatKind floatKindOf() {
  return std::is_same_v<T, double>     ? FloatKind::Double
         : std::is_same_v<T, float>    ? FloatKind::Single
         : std::is_same_v<T, BFloat16> ? FloatKind::BFloat16
                                       : FloatKind::Half;
}

// Walks the elements that are shown and lays their texts out.
class Layout {
 public:
  Layout(const DLTensor& tensor) : m_tensor(tensor), m_cut(elementCount(tensor) > kMostElements) {}

  // Positions of the elements shown, in order.
  std::vector<std::int64_t> shown() const {
    std::vector<std::int64_t> positions;
    collect(0, 0, positions);
    return positions;
  }

  std::string lay(std::function<std::string(std::int64_t)> textAt) {
    m_textAt = std::move(textAt);
    return block(0, 0, " ", kLineWidth);
  }

 private:
  bool isCut(std::int32_t axis) const { return m_cut && 2 * kEdgeElements < m_tensor.shape[axis]; }

  // Calls `item` for each index shown along `axis`, and `gap` where some are left out.
  template <class Item, class Gap>
  void forShown(std::int32_t axis, Item&& item, Gap&& gap) const {
    const std::int64_t length = m_tensor.shape[axis];
    for (std::int64_t index = 0; index < length; ++index) {
      if (isCut(axis) && index == kEdgeElements) {
        gap();
        index = length - kEdgeElements;
      }
      item(index, index + 1 == length);
    }
  }

  void collect(std::int32_t axis, std::int64_t position, std::vector<std::int64_t>& positions) const {
    if (axis == m_tensor.ndim) {
      positions.push_back(position);
      return;
    }
    forShown(
        axis,
        [&](std::int64_t index, bool) {
          collect(axis + 1, position * m_tensor.shape[axis] + index, positions);
        },
        [] {});
  }

  std::string block(std::int32_t axis, std::int64_t position, const std::string& indent,
                    std::size_t width) const {
    const bool isLast = axis + 1 == m_tensor.ndim;
    const std::string text =
        isLast ? row(axis, position, indent, width) : rows(axis, position, indent, width);
    return "[" + text.substr(std::min(indent.size(), text.size())) + "]";
  }

  std::string rows(std::int32_t axis, std::int64_t position, const std::string& indent,
                   std::size_t width) const {
    const std::string separator(static_cast<std::size_t>(m_tensor.ndim - axis - 1), '\n');
    std::string text;
    forShown(
        axis,
        [&](std::int64_t index, bool isLast) {
          text += indent + block(axis + 1, position * m_tensor.shape[axis] + index, indent + " ", width - 1);
          text += isLast ? "" : separator;
        },
        [&] { text += indent + "..." + separator; });
    return text;
  }

  std::string row(std::int32_t axis, std::int64_t position, const std::string& indent,
                  std::size_t width) const {
    std::string text;
    std::string line = indent;
    const auto append = [&](const std::string& word) {
      if (line.size() > indent.size() && line.size() + word.size() > width - 1) {
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
        line = indent;
      }
      line += word;
    };
    forShown(
        axis,
        [&](std::int64_t index, bool isLast) {
          append(m_textAt(position * m_tensor.shape[axis] + index));
          line += isLast ? "" : " ";
        },
        [&] {
          append("...");
          line += " ";
        });
    return text + line;
  }

  const DLTensor& m_tensor;
  bool m_cut;
  std::function<std::string(std::int64_t)> m_textAt;
};

template <class T>
std::string scalarText(const DLTensor& tensor) {
  const T value = *elementsOf<const T>(tensor);
  if constexpr (std::is_integral_v<T>) {
    if (tensor.dtype.code == kDLBool) {
      return value != 0 ? "True" : "False";
    }
    return fmt::format("{}", value);
  } else {
    return floatText(static_cast<double>(toNumber(value)), floatKindOf<T>());
  }
}

template <class T>
std::string manyText(const DLTensor& tensor) {
  const T* elements = elementsOf<const T>(tensor);
  Layout layout(tensor);
  const std::vector<std::int64_t> shown = layout.shown();
  if constexpr (std::is_integral_v<T>) {
    const bool isBool = tensor.dtype.code == kDLBool;
    const auto plain = [&](std::int64_t at) {
      return isBool ? std::string(elements[at] != 0 ? "True" : "False") : fmt::format("{}", elements[at]);
    };
    std::size_t width = isBool ? 5 : 0;
    for (const std::int64_t at : shown) {
      width = std::max(width, plain(at).size());
    }
    return layout.lay([&](std::int64_t at) { return fmt::format("{:>{}}", plain(at), width); });
  } else {
    std::vector<double> values;
    for (const std::int64_t at : shown) {
      values.push_back(static_cast<double>(toNumber(elements[at])));
    }
    const FloatColumn column(values, floatKindOf<T>());
    return layout.lay(
        [&](std::int64_t at) { return column.text(static_cast<double>(toNumber(elements[at]))); });
  }
}

template <class Items>
std::string parenthesised(const Items& items) {
  return fmt::format("({})", fmt::join(items, ", "));
}

std::string tupleText(ffi::AnyView value) {
  std::vector<std::string> items;
  for (const ffi::Any& item : value.cast<ffi::Array<ffi::Any>>()) {
    items.push_back(pythonText(item));
  }
  return parenthesised(items);
}

std::string shapeTupleText(ffi::AnyView value) {
  const auto shape = value.cast<ffi::Shape>();
  const std::vector<std::int64_t> sizes(shape.begin(), shape.end());
  return sizes.size() == 1 ? fmt::format("({},)", sizes[0]) : parenthesised(sizes);
}

// One replacement field: its argument and what stands after the colon.
struct Field {
  std::size_t index = 0;
  std::string_view spec;
};

// Fill, alignment, width and precision of a text: "*^10.3s".
std::string applySpec(const std::string& text, std::string_view spec) {
  try {
    return fmt::format(fmt::runtime("{:" + std::string(spec) + "}"), text);
  } catch (const fmt::format_error&) {
    raise("ValueError", fmt::format("the format \"{}\" does not fit a text", spec));
  }
}

Field parseField(std::string_view inner, std::size_t& next) {
  Field field;
  const std::size_t colon = inner.find(':');
  const std::string_view name = inner.substr(0, colon);
  field.spec = colon == std::string_view::npos ? std::string_view() : inner.substr(colon + 1);
  if (name.empty() || name == "!s") {
    field.index = next++;
    return field;
  }
  for (const char byte : name) {
    if (byte < '0' || byte > '9' || field.index > 1000000) {
      raise("ValueError", fmt::format("the format field {{{}}} names no argument by its number", inner));
    }
    field.index = field.index * 10 + static_cast<std::size_t>(byte - '0');
  }
  return field;
}

}  // namespace

std::string arrayText(const DLTensor& tensor) {
  std::string text;
  const bool known = visitElementType(tensor.dtype, [&](auto element) {
    using T = decltype(element);
    text = elementCount(tensor) == 0 ? "[]" : tensor.ndim == 0 ? scalarText<T>(tensor) : manyText<T>(tensor);
  });
  return known ? text
               : fmt::format("<{} {}>", std::string(ffi::DLDataTypeToString(tensor.dtype)),
                             shapeText({tensor.shape, static_cast<std::size_t>(tensor.ndim)}));
}

std::string pythonText(ffi::AnyView value) {
  switch (value.type_index()) {
    case kTVMFFINone:
      return "None";
    case kTVMFFIBool:
      return value.cast<bool>() ? "True" : "False";
    case kTVMFFIInt:
      return fmt::format("{}", value.cast<std::int64_t>());
    case kTVMFFIFloat:
      return floatText(value.cast<double>(), FloatKind::Double);
    case kTVMFFIShape:
      return shapeTupleText(value);
    case kTVMFFIArray:
      return tupleText(value);
    case kTVMFFITensor:
    case kTVMFFIDLTensorPtr: {
      const Arguments arguments("relax.run.print", ffi::PackedArgs(&value, 1));
      return arrayText(hostTensor(arguments, 0));
    }
    default:
      break;
  }
  if (const auto text = value.try_cast<ffi::String>()) {
    return *text;
  }
  return describeValue(value);
}

std::string formatTexts(std::string_view format, const std::vector<std::string>& texts) {
  std::string result;
  std::size_t next = 0;
  while (!format.empty()) {
    const char byte = format.front();
    const bool doubled = format.size() > 1 && format[1] == byte;
    if ((byte != '{' && byte != '}') || doubled) {
      result += byte;
      format.remove_prefix(doubled && (byte == '{' || byte == '}') ? 2 : 1);
      continue;
    }
    const std::size_t end = format.find('}');
    if (byte == '}' || end == std::string_view::npos) {
      raise("ValueError", "the format has a single brace");
    }
    const Field field = parseField(format.substr(1, end - 1), next);
    if (field.index >= texts.size()) {
      raise("IndexError",
            fmt::format("the format asks for value {}, there are {}", field.index, texts.size()));
    }
    result += field.spec.empty() ? texts[field.index] : applySpec(texts[field.index], field.spec);
    format.remove_prefix(end + 1);
  }
  return result;
}

}  // namespace opscope::vm
