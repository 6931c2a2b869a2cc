// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/window_words.h"

#include <utility>

namespace opscope::ui {
namespace {

/// The longer phrase before one that is a part of it.
constexpr std::pair<const char*, const char*> kPhrases[] = {
    {"--allocator pooled, and a longer --warmup", "pooled memory in Run settings, and a longer warm-up"},
    {"Give the file with --inputs FILE.npz.", "Take the arrays from a .npz file, in the Executable panel."},
    {"give the server's --key (none unless it was set)", "give the server's key (none unless it was set)"},
    {"(--warmup)", "(Warm-up in the tool bar)"},
    {"--pin on, or start it under taskset", "in Run settings, or start Opscope under taskset"},
    {"(--spin-us)", "(Idle threads spin for, in Run settings)"},
    {"Leave out --pin and --spin-us, or", "Put both in Run settings back to as usual, or"},
    {"Leave out --threads, set", "Put Threads in Run settings back to “as usual”, set"},
    {"with --target local shows", "with “This computer” as the target shows"},
    {"opscope-cli profile --counters list shows what there is.", "Run settings list what there is."},
    {"Compare samples files (profile --samples) or saved runs (profile --save).",
     "Compare saved runs, or files of opscope-cli profile --samples."},
};

}  // namespace

QString windowWords(const std::string& advice) {
  QString words = QString::fromStdString(advice);
  if (!words.contains(QLatin1String("--"))) return words;
  for (const auto& [option, own] : kPhrases) words.replace(QString::fromUtf8(option), QString::fromUtf8(own));
  return words;
}

QString kindWords(base::ErrorCode code) {
  switch (code) {
    case base::ErrorCode::InvalidArgument:
      return QStringLiteral("A value that does not fit");
    case base::ErrorCode::NotFound:
      return QStringLiteral("Something is not there");
    case base::ErrorCode::Io:
      return QStringLiteral("Reading or writing a file");
    case base::ErrorCode::Format:
      return QStringLiteral("The content of a file");
    case base::ErrorCode::Unsupported:
      return QStringLiteral("Something that is not supported");
    case base::ErrorCode::MissingFunction:
      return QStringLiteral("A function is missing");
    case base::ErrorCode::KernelFailed:
      return QStringLiteral("A kernel failed");
    case base::ErrorCode::Remote:
      return QStringLiteral("The board tells an error");
    case base::ErrorCode::ConnectionLost:
      return QStringLiteral("The connection was lost");
    case base::ErrorCode::Timeout:
      return QStringLiteral("No answer in time");
    case base::ErrorCode::OutOfMemory:
      return QStringLiteral("Not enough memory");
    case base::ErrorCode::Cancelled:
      return QStringLiteral("Stopped");
    case base::ErrorCode::Internal:
      break;
  }
  return QStringLiteral("A fault of Opscope itself");
}

}  // namespace opscope::ui
