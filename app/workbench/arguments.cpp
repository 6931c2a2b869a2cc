// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/arguments.h"

#include <QCommandLineParser>
#include <QRegularExpression>

#include "ui/shell/text_size.h"

namespace opscope::workbench {
namespace {

base::Error wrong(const QString& message, const QString& hint = {}) {
  return {base::ErrorCode::InvalidArgument, message.toStdString(), {}, hint.toStdString()};
}

base::Result<> readPlan(const QCommandLineParser& parser, Arguments& arguments) {
  session::CallPlan& plan = arguments.plan;
  plan.function = parser.value(QStringLiteral("function")).toStdString();
  plan.scenarioFile = parser.value(QStringLiteral("scenario")).toStdString();
  plan.inputs.arraysFile = parser.value(QStringLiteral("inputs")).toStdString();
  for (const QString& word : parser.values(QStringLiteral("input"))) {
    OPSCOPE_TRY_ASSIGN(auto assignment, session::parseInputAssignment(word.toStdString()));
    plan.inputs.values[assignment.first] = assignment.second;
  }
  for (const QString& word : parser.values(QStringLiteral("dim"))) {
    OPSCOPE_TRY_ASSIGN(auto assignment, session::parseDimensionAssignment(word.toStdString()));
    plan.inputs.dimensions[assignment.first] = assignment.second;
  }
  arguments.hasPlan = !plan.function.empty() || !plan.scenarioFile.empty() ||
                      !plan.inputs.arraysFile.empty() || !plan.inputs.values.empty() ||
                      !plan.inputs.dimensions.empty();
  return {};
}

/// `value` stays as it is when the option is not given.
base::Result<> readNumber(const QCommandLineParser& parser, const char* name, int least, int most,
                          const char* what, int& value) {
  const QString word = parser.value(QString::fromLatin1(name));
  if (!parser.isSet(QString::fromLatin1(name))) return {};
  bool whole = false;
  value = word.toInt(&whole);
  if (whole && value >= least && value <= most) return {};
  return wrong(
      QStringLiteral("--%1: \"%2\" is no %3").arg(QLatin1String(name), word, QString::fromUtf8(what)),
      QStringLiteral("a whole number from %1 to %2").arg(least).arg(most));
}

/// The number of the word among `words`; the first when the option is not given.
base::Result<int> readWord(const QCommandLineParser& parser, const char* name, const QStringList& words) {
  if (!parser.isSet(QString::fromLatin1(name))) return 0;
  const QString word = parser.value(QString::fromLatin1(name));
  const auto found = int(words.indexOf(word));
  if (found >= 0) return found;
  return wrong(QStringLiteral("--%1: \"%2\" cannot be").arg(QLatin1String(name), word),
               QStringLiteral("%1 or %2")
                   .arg(words.mid(0, words.size() - 1).join(QStringLiteral(", ")), words.last()));
}

base::Result<> readOptions(const QCommandLineParser& parser, Arguments& arguments) {
  using profile::OverheadCheck;
  ui::RunOptions options;
  OPSCOPE_TRY(readNumber(parser, "threads", 1, ui::kMostThreads, "number of threads", options.threads));
  OPSCOPE_TRY(readNumber(parser, "spin-us", 0, ui::kMostSpinUs, "time to spin", options.spinUs));
  OPSCOPE_TRY(
      readNumber(parser, "timeout", 0, ui::kMostTimeoutSeconds, "time in seconds", options.timeoutSeconds));
  OPSCOPE_TRY_ASSIGN(const int pin, readWord(parser, "pin", {QStringLiteral("on"), QStringLiteral("off")}));
  options.pin = pin == 0;
  OPSCOPE_TRY_ASSIGN(const int allocator,
                     readWord(parser, "allocator", {QStringLiteral("pooled"), QStringLiteral("naive")}));
  if (allocator == 1) options.allocator = runtime::AllocatorKind::Naive;
  OPSCOPE_TRY_ASSIGN(
      const int overhead,
      readWord(parser, "overhead", {QStringLiteral("auto"), QStringLiteral("off"), QStringLiteral("full")}));
  constexpr OverheadCheck kChecks[] = {OverheadCheck::Auto, OverheadCheck::Off, OverheadCheck::Full};
  options.overhead = kChecks[overhead];
  options.counters = ui::counterNames(parser.value(QStringLiteral("counters")));
  options.plugins = parser.values(QStringLiteral("plugin"));
  if (options.plugins.contains(QString())) {
    return wrong(QStringLiteral("--plugin: needs a file"), QStringLiteral("the path of a library"));
  }
  if (options != ui::RunOptions()) arguments.options = options;
  return {};
}

base::Result<> readTextSize(const QCommandLineParser& parser, Arguments& arguments) {
  const QString word = parser.value(QStringLiteral("text-size"));
  if (word.isEmpty()) return {};
  const int percent = word.toInt();
  if (ui::nearestTextSize(percent) != percent) {
    QStringList sizes;
    for (const int size : ui::kTextSizes) sizes << QString::number(size);
    return wrong(QStringLiteral("--text-size: \"%1\" is no size of text").arg(word),
                 QStringLiteral("one of %1, in percent").arg(sizes.join(QStringLiteral(", "))));
  }
  arguments.textSize = percent;
  return {};
}

base::Result<> readLook(const QCommandLineParser& parser, Arguments& arguments) {
  const QString word = parser.value(QStringLiteral("theme"));
  OPSCOPE_TRY(readTextSize(parser, arguments));
  if (word.isEmpty()) return {};
  if (word == QLatin1String("light")) {
    arguments.theme = ui::ThemeChoice::Light;
  } else if (word == QLatin1String("dark")) {
    arguments.theme = ui::ThemeChoice::Dark;
  } else if (word == QLatin1String("contrast")) {
    arguments.theme = ui::ThemeChoice::HighContrast;
  } else {
    return wrong(QStringLiteral("--theme: \"%1\" is no theme").arg(word),
                 QStringLiteral("light, dark or contrast"));
  }
  return {};
}

/// Of the window; a test holds it to them.
const QStringList kPages = {QStringLiteral("summary"), QStringLiteral("ops"),     QStringLiteral("timeline"),
                            QStringLiteral("charts"),  QStringLiteral("compare"), QStringLiteral("memory"),
                            QStringLiteral("code")};

/// Told before a window opens, also where it is not a picture that is asked for.
base::Result<> checkPage(const QCommandLineParser& parser) {
  const QString page = parser.value(QStringLiteral("page"));
  if (kPages.contains(page)) return {};
  return wrong(QStringLiteral("--page: \"%1\" is no page").arg(page),
               QStringLiteral("%1 or %2")
                   .arg(kPages.mid(0, kPages.size() - 1).join(QStringLiteral(", ")), kPages.last()));
}

base::Result<> readScreenshot(const QCommandLineParser& parser, Arguments& arguments) {
  const QString picture = parser.value(QStringLiteral("screenshot"));
  if (picture.isEmpty()) return {};
  ui::ScreenshotPlan plan;
  plan.picture = picture;
  plan.files = arguments.files;
  plan.page = parser.value(QStringLiteral("page"));
  plan.run = !parser.isSet(QStringLiteral("no-run"));
  const QStringList size = parser.value(QStringLiteral("size")).split(QLatin1Char('x'));
  bool widthOk = false, heightOk = false, scaleOk = false;
  plan.size = QSize(size.value(0).toInt(&widthOk), size.value(1).toInt(&heightOk));
  const bool sensible = plan.size.width() >= 320 && plan.size.width() <= 10000 && plan.size.height() >= 240 &&
                        plan.size.height() <= 10000;
  if (size.size() != 2 || !widthOk || !heightOk || !sensible) {
    return wrong(QStringLiteral("--size: \"%1\" is no size").arg(parser.value(QStringLiteral("size"))),
                 QStringLiteral("WIDTHxHEIGHT, for example 1440x900"));
  }
  plan.scale = parser.value(QStringLiteral("scale")).toDouble(&scaleOk);
  if (!scaleOk || !(plan.scale >= 0.5 && plan.scale <= 4)) {
    return wrong(QStringLiteral("--scale: \"%1\" is no scale").arg(parser.value(QStringLiteral("scale"))),
                 QStringLiteral("a number from 0.5 to 4"));
  }
  arguments.screenshot = plan;
  return {};
}

void addOptions(QCommandLineParser& parser) {
  parser.setApplicationDescription(
      QStringLiteral("Opens executables of TVM (Relax) and shows where their time goes."));
  parser.addHelpOption();
  parser.addVersionOption();
  parser.addPositionalArgument(QStringLiteral("FILE"),
                               QStringLiteral("Executable (.so), report, samples or trace (.json), CSV or "
                                              "session file (.opscope). Two of these that hold runs are "
                                              "compared. Behind an executable: its scenario (.json), arrays "
                                              "(.npz)."),
                               QStringLiteral("[FILE [NEW]]"));
  const auto option = [&](const char* name, const char* description, const char* value,
                          const char* standard = "") {
    parser.addOption({QString::fromLatin1(name), QString::fromUtf8(description), QString::fromLatin1(value),
                      QString::fromLatin1(standard)});
  };
  parser.addOption({{QStringLiteral("f"), QStringLiteral("function")},
                    QStringLiteral("Function to run."),
                    QStringLiteral("NAME")});
  option("input",
         "Value of an input: random[:SEED], zeros, ones, range, const:3.5, @FILE.npy, @FILE.npz:KEY. Again "
         "for each.",
         "NAME=VALUE");
  option("dim", "Size of a free dimension. Again for each.", "N=SIZE");
  option("inputs", "Arrays named as the parameters.", "FILE.npz");
  option("scenario", "Calls that share state.", "FILE.json");
  option("threads", "Threads for kernels; without it TVM_NUM_THREADS, then physical cores.", "N");
  option("pin", "Bind each thread to a core: on or off.", "on|off");
  option("spin-us", "How long idle threads spin before they sleep, in microseconds.", "N");
  option("allocator", "Memory for tensors: pooled or naive.", "naive|pooled");
  option("overhead", "Runs without recording beside those measured: auto, off or full.", "auto|off|full");
  option("counters", "Events to count by op: cycles,instructions,cache-misses.", "E,E");
  option("timeout", "Longest wait for one answer of a board.", "SECONDS");
  option("plugin", "Library of functions that the executable needs. Again for each.", "LIB.so");
  option("store", "Store of saved runs; without it $OPSCOPE_STORE, then the usual one.", "FILE");
  option("screenshot", "Render the page to a PNG without a display and end.", "OUT.png");
  option("page",
         "Page to begin with, and of the picture: summary, ops, timeline, charts, compare, memory, code.",
         "PAGE", "summary");
  option("theme", "light, dark or contrast.", "THEME");
  option("text-size", "Size of all text in percent of the usual one: 80 to 200.", "PERCENT");
  option("size", "Size of the picture.", "WxH", "1440x900");
  option("scale", "Device pixels to a point of the picture.", "N", "1");
  parser.addOption(
      QCommandLineOption(QStringLiteral("no-run"),
                         QStringLiteral("With --screenshot: show the executable before its first run.")));
}

}  // namespace

base::Result<Arguments> readArguments(const QStringList& words) {
  QCommandLineParser parser;
  addOptions(parser);
  if (!parser.parse(words))
    return wrong(parser.errorText(), QStringLiteral("opscope --help lists the options"));
  if (parser.isSet(QStringLiteral("help"))) parser.showHelp();
  if (parser.isSet(QStringLiteral("version"))) parser.showVersion();
  Arguments arguments;
  arguments.files = parser.positionalArguments();
  const bool aRun = arguments.files.filter(QRegularExpression(QStringLiteral("\\.(json|npz)$"))).size() == 2;
  if (arguments.files.size() > (aRun ? 3 : 2)) {
    return wrong(
        QStringLiteral("one file can be opened, two compared, and an executable opened with its scenario "
                       "and arrays; %1 were given")
            .arg(arguments.files.size()));
  }
  arguments.store = parser.value(QStringLiteral("store"));
  OPSCOPE_TRY(readPlan(parser, arguments));
  OPSCOPE_TRY(readOptions(parser, arguments));
  OPSCOPE_TRY(readLook(parser, arguments));
  OPSCOPE_TRY(checkPage(parser));
  arguments.page = parser.isSet(QStringLiteral("page")) ? parser.value(QStringLiteral("page")) : QString();
  OPSCOPE_TRY(readScreenshot(parser, arguments));
  return arguments;
}

}  // namespace opscope::workbench
