// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/ffi_error.h"

#include <optional>

namespace opscope::runtime {

namespace {

constexpr int kMaxCauses = 16;

bool isMissing(const tvm::ffi::Error& error) {
  return static_cast<const tvm::ffi::ObjectRef&>(error).get() == nullptr;
}

std::string firstLine(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// What follows the first line, ended by a line end unless empty.
std::string otherLines(const std::string& text) {
  const std::size_t end = text.find('\n');
  std::string rest = end == std::string::npos ? std::string() : text.substr(end + 1);
  if (!rest.empty() && rest.back() != '\n') {
    rest += '\n';
  }
  return rest;
}

/// "main, instruction 3, NAME: words"; words that begin with the name do not tell it twice.
std::string placed(std::string where, std::string_view words) {
  const std::size_t colon = words.find(": ");
  const bool isTwice =
      colon != std::string_view::npos && colon > 0 && where.ends_with(words.substr(0, colon));
  const std::size_t before = where.size() - (isTwice ? colon : 0);
  if (isTwice && (before == 0 || where[before - 1] == ' ')) {
    words.remove_prefix(colon + 2);
  }
  where += ": ";
  return where.append(words);
}

std::string describeCauses(const tvm::ffi::Error& error) {
  std::string text;
  std::optional<tvm::ffi::Error> cause = error.cause_chain();
  for (int i = 0; i < kMaxCauses && cause.has_value(); ++i) {
    text += "\ncaused by " + cause->kind() + ": " + cause->message();
    cause = cause->cause_chain();
  }
  return text;
}

}  // namespace

base::Error toError(const tvm::ffi::Error& error, base::ErrorCode code, std::string where) {
  if (isMissing(error)) {
    return {code, std::move(where) + ": it reported a failure but raised no error", {}, {}};
  }
  const std::string kind = error.kind();
  if (kind == "MemoryError") {
    return {base::ErrorCode::OutOfMemory, placed(std::move(where), firstLine(error.message())),
            otherLines(error.message()) + describeCauses(error),
            "close other programs, or use smaller inputs"};
  }
  if (kind == "EnvErrorAlreadySet") {
    return {
        code, std::move(where) + ": the surrounding environment reported an error or an interrupt", {}, {}};
  }
  return {code,
          placed(std::move(where), firstLine(error.message())),
          otherLines(error.message()) + "raised as " + kind + describeCauses(error),
          {}};
}

base::Error toError(const std::exception& error, base::ErrorCode code, std::string where) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    return {base::ErrorCode::OutOfMemory,
            std::move(where) + ": memory is out",
            {},
            "close other programs, or use smaller inputs"};
  }
  return {code,
          placed(std::move(where), firstLine(error.what())),
          otherLines(error.what()) + "thrown as a C++ exception",
          {}};
}

RaisedError takeRaised() {
  const tvm::ffi::Error error = tvm::ffi::detail::MoveFromSafeCallRaised();
  if (isMissing(error)) {
    return {"RuntimeError", "the function reported a failure but raised no error"};
  }
  return {error.kind(), error.message()};
}

base::Error takeRaisedError(base::ErrorCode code, std::string where) {
  return toError(tvm::ffi::detail::MoveFromSafeCallRaised(), code, std::move(where));
}

}  // namespace opscope::runtime
