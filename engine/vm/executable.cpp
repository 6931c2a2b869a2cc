// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/executable.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace opscope::vm {

namespace {

constexpr std::uint8_t kHandleCode = 3;
constexpr std::uint8_t kBoolCode = 6;
constexpr std::uint8_t kFirstEightBitFloat = 7;

// DLPack's codes in order; from the eight-bit floats on a name says its width itself.
constexpr std::array<std::string_view, 18> kCodeNames = {"int",
                                                         "uint",
                                                         "float",
                                                         "handle",
                                                         "bfloat",
                                                         "complex",
                                                         "bool",
                                                         "float8_e3m4",
                                                         "float8_e4m3",
                                                         "float8_e4m3b11fnuz",
                                                         "float8_e4m3fn",
                                                         "float8_e4m3fnuz",
                                                         "float8_e5m2",
                                                         "float8_e5m2fnuz",
                                                         "float8_e8m0fnu",
                                                         "float6_e2m3fn",
                                                         "float6_e3m2fn",
                                                         "float4_e2m1fn"};

std::uint8_t widthOf(std::uint8_t code) {
  return kCodeNames[code].starts_with("float8") ? 8 : kCodeNames[code].starts_with("float6") ? 6 : 4;
}

template <class T>
bool parseNumber(std::string_view text, T& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number > 0;
}

}  // namespace

std::string dataTypeName(DataType type) {
  if (type.code == kHandleCode && type.bits == 0) {
    return type.lanes == 0 ? "" : "handle";
  }
  std::string name;
  if (type.code == kBoolCode && type.bits == 8) {
    name = "bool";
  } else if (type.code >= kFirstEightBitFloat && type.code < kCodeNames.size()) {
    name = kCodeNames[type.code];
  } else if (type.code < kCodeNames.size()) {
    name =
        fmt::format("{}{}", kCodeNames[type.code], type.code == kHandleCode ? "" : std::to_string(type.bits));
  } else {
    name = fmt::format("custom[{}]{}", type.code, type.bits);
  }
  if (static_cast<std::int16_t>(type.lanes) < -1) {
    return fmt::format("{}xvscalex{}", name, -static_cast<std::int16_t>(type.lanes));
  }
  return type.lanes == 1 ? name : fmt::format("{}x{}", name, type.lanes);
}

std::optional<DataType> parseDataType(std::string_view name) {
  if (name == "bool") {
    return DataType{kBoolCode, 8, 1};
  }
  if (name == "handle") {
    return DataType{kHandleCode, 64, 1};
  }
  for (std::uint8_t code = 0; code < kCodeNames.size(); ++code) {
    if (code == kHandleCode || !name.starts_with(kCodeNames[code])) {
      continue;
    }
    const std::string_view rest = name.substr(kCodeNames[code].size());
    DataType type{code, 0, 1};
    const bool fixedWidth = code >= kFirstEightBitFloat;
    const std::size_t lanesAt = rest.find('x');
    const std::string_view bits = rest.substr(0, lanesAt);
    const bool bitsRight = fixedWidth ? bits.empty() : parseNumber(bits, type.bits);
    if (bitsRight &&
        (lanesAt == std::string_view::npos || parseNumber(rest.substr(lanesAt + 1), type.lanes))) {
      type.bits = fixedWidth ? widthOf(code) : type.bits;
      return type;
    }
  }
  return std::nullopt;
}

std::int64_t findFunction(const ExecutableData& data, std::string_view name) {
  for (std::size_t index = 0; index < data.functions.size(); ++index) {
    if (data.functions[index].name == name) {
      return static_cast<std::int64_t>(index);
    }
  }
  return -1;
}

}  // namespace opscope::vm
