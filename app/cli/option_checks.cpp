// SPDX-License-Identifier: Apache-2.0
#include "app/cli/option_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>

#include "engine/session/device_name.h"
#include "engine/session/targets.h"

namespace opscope::cli {

namespace {

bool sameFile(const std::string& a, const std::string& b) {
  std::error_code code;
  if (std::filesystem::equivalent(a, b, code) && !code) {
    struct stat status {};
    return stat(a.c_str(), &status) == 0 && S_ISREG(status.st_mode);  // /dev/null may be named often
  }
  const auto plain = [&code](const std::string& path) {
    return std::filesystem::weakly_canonical(path, code).lexically_normal();
  };
  std::error_code ignored;
  return !std::filesystem::exists(a, ignored) && !std::filesystem::exists(b, ignored) && plain(a) == plain(b);
}

bool isPath(const std::string& text) {
  return !text.empty() && text != "-";
}

}  // namespace

CLI::Validator notEmpty() {
  return CLI::Validator(
      [](std::string& value) {
        return value.empty() ? std::string("needs a value, found an empty one") : "";
      },
      "");
}

namespace {

/// Holds an address against one of the parsers of targets.h.
template <class Parse>
CLI::Validator parsedBy(Parse parse) {
  return CLI::Validator(
      [parse](std::string& value) -> std::string {
        const auto parsed = parse(value);
        if (parsed) {
          return {};
        }
        const base::Error& error = parsed.error();
        return fmt::format("is wrong: {} {}{}{}", error.message, error.detail, error.hint.empty() ? "" : " ",
                           error.hint);
      },
      "");
}

}  // namespace

CLI::Validator target() {
  return parsedBy([](const std::string& value) { return session::parseTarget(value); });
}

CLI::Validator trackerAddress() {
  return parsedBy([](const std::string& value) { return session::parseTracker(value); });
}

CLI::Validator wholeNumber(std::int64_t first, std::int64_t last) {
  return CLI::Validator(
      [first, last](std::string& value) -> std::string {
        std::int64_t number = 0;
        const char* const end = value.data() + value.size();
        const auto parsed = std::from_chars(value.data(), end, number);
        if (parsed.ec == std::errc() && parsed.ptr == end && number >= first && number <= last) {
          return "";
        }
        return fmt::format("needs a whole number from {} to {}, found \"{}\"", first, last, value);
      },
      "");
}

namespace {

/// A number from 0 to `most`, which no "nan" is; `needed` says what else was expected.
CLI::Validator numberUpTo(double most, std::string_view needed) {
  return CLI::Validator(
      [most, needed](std::string& value) -> std::string {
        double number = -1;
        const char* const end = value.data() + value.size();
        const auto parsed = std::from_chars(value.data(), end, number);
        if (parsed.ec == std::errc() && parsed.ptr == end && number >= 0 && number <= most) {
          return "";
        }
        return fmt::format("needs {}, found \"{}\"", needed, value);
      },
      "");
}

}  // namespace

CLI::Validator notNegative() {
  return numberUpTo(std::numeric_limits<double>::max(), "a number from 0 on, such as 1e-5");
}

CLI::Validator waitingTime() {
  return numberUpTo(1e9, "seconds from 0 to 1e9");
}

CLI::Validator device() {
  return parsedBy([](const std::string& value) { return session::checkDeviceName(value); });
}

CLI::Validator oneOf(std::vector<std::string> words) {
  return CLI::Validator(
      [words = std::move(words)](std::string& value) -> std::string {
        if (std::find(words.begin(), words.end(), value) != words.end()) {
          return "";
        }
        const auto last = words.end() - 1;
        return fmt::format("needs {}{}{}, found \"{}\"", fmt::join(words.begin(), last, ", "),
                           words.size() > 1 ? " or " : "", *last, value);
      },
      "");
}

std::optional<base::Error> conflictOfPaths(const std::vector<NamedPath>& outputs,
                                           const std::vector<NamedPath>& inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& [option, path] = outputs[i];
    if (!isPath(path)) {
      continue;
    }
    for (const auto& [inputOption, inputPath] : inputs) {
      if (isPath(inputPath) && sameFile(path, inputPath)) {
        return base::Error{base::ErrorCode::InvalidArgument,
                           fmt::format("{} would overwrite {}.", option, path),
                           fmt::format("That file is read as {}.", inputOption), "Name another file."};
      }
    }
    for (std::size_t other = 0; other < i; ++other) {
      if (isPath(outputs[other].second) && sameFile(path, outputs[other].second)) {
        return base::Error{
            base::ErrorCode::InvalidArgument,
            fmt::format("{} and {} name the same file, {}.", outputs[other].first, option, path),
            "Each needs a file of its own.", ""};
      }
    }
  }
  return std::nullopt;
}

std::string wordsOf(const CLI::ParseError& error) {
  const std::string text = error.what();
  if (text.ends_with("disallowed flag override")) {
    return fmt::format("--{} takes no value", text.substr(0, text.find(' ')));
  }
  const std::size_t colon = text.find(": ");
  if (colon == std::string::npos) {
    return text;
  }
  if (error.get_name() == "ArgumentMismatch") {
    const bool tooMany = text.find("At Most") != std::string::npos;
    return text.substr(0, colon) + (tooMany ? " is given more than once" : " needs a value");
  }
  if (error.get_name() == "ValidationError") {
    return text.substr(0, colon) + text.substr(colon + 1);  // "--threads needs ..."
  }
  return text;
}

}  // namespace opscope::cli
