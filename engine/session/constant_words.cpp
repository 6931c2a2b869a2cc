// SPDX-License-Identifier: Apache-2.0
#include "engine/session/constant_words.h"

#include <fmt/format.h>

#include <type_traits>
#include <variant>

namespace opscope::session {

namespace {

constexpr std::size_t kLongestText = 60;

}  // namespace

std::string constantWords(const vm::Constant& constant) {
  return std::visit(
      [](const auto& value) -> std::string {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, vm::TensorConstant>) {
          return fmt::format("{} [{}]", vm::dataTypeName(value.type), fmt::join(value.shape, ", "));
        } else if constexpr (std::is_same_v<T, vm::ShapeConstant>) {
          return fmt::format("shape [{}]", fmt::join(value.values, ", "));
        } else if constexpr (std::is_same_v<T, std::string>) {
          return value.size() <= kLongestText ? fmt::format("string \"{}\"", value)
                                              : fmt::format("string \"{}…\"", value.substr(0, kLongestText));
        } else if constexpr (std::is_same_v<T, vm::DataType>) {
          const std::string name = vm::dataTypeName(value);
          return "dtype " + (name.empty() ? std::string("void") : name);
        } else if constexpr (std::is_same_v<T, std::int64_t>) {
          return fmt::format("int {}", value);
        } else {
          return fmt::format("float {}", value);
        }
      },
      constant);
}

}  // namespace opscope::session
