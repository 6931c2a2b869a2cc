// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/page_texts.h"

#include <QRegularExpression>
#include <QSysInfo>
#include <thread>

#include "ui/models/format.h"
#include "ui/models/window_words.h"

namespace opscope::ui {
namespace {

constexpr int kShownInputs = 4;
constexpr int kShownSignatures = 8;

QString stageWords(session::State stage, const RunChoices& choices) {
  switch (stage) {
    case session::State::Opening:
      return QStringLiteral("loaded");
    case session::State::Preparing:
      return QStringLiteral("inputs made");
    case session::State::WarmingUp:
      return format::counted(choices.warmup, "warm-up", "warm-ups");
    case session::State::Measuring:
      return format::counted(choices.repeats, "repeat", "repeats");
    case session::State::Finishing:
      return QStringLiteral("report");
    case session::State::Stopping:
      return QStringLiteral("stop");
    default:
      return {};
  }
}

QString fromStd(const std::string& text) {
  return format::fromUtf8(text);
}

/// Errors of connections are parts of sentences, for lines of a terminal.
QString sentence(const std::string& text) {
  QString words = fromStd(text);
  const bool isWord =
      words.size() > 1 && words[0].isLower() && words[1] != QLatin1Char('.') &&
      words.section(QLatin1Char(' '), 0, 0).indexOf(QRegularExpression(QStringLiteral("[._/(]"))) < 0;
  // A name of a function or file stays as it is written.
  if (isWord) words[0] = words[0].toUpper();
  return words;
}

std::vector<FactList::Row> whatFunctionRuns(const InputForm& form, const session::FunctionInfo& function) {
  std::vector<FactList::Row> rows;
  const auto& parameters = function.signature.parameters;
  QStringList names;
  for (const vm::Parameter& parameter : parameters) {
    if (names.size() < 6) names << fromStd(parameter.name);
  }
  if (parameters.size() > 6) names << QStringLiteral("…");
  rows.push_back({QStringLiteral("Function"),
                  QStringLiteral("%1(%2)").arg(fromStd(function.name), names.join(QLatin1String(", "))),
                  true});
  int shown = 0;
  for (const vm::Parameter& parameter : parameters) {
    if (++shown > kShownInputs) break;
    rows.push_back(
        {QStringLiteral("Input %1").arg(fromStd(parameter.name)), form.resolvedType(parameter), true});
  }
  if (const auto all = qint64(parameters.size()); all > kShownInputs) {
    rows.push_back(
        {QStringLiteral("And"), format::counted(all - kShownInputs, "more input", "more inputs"), false});
  }
  if (function.signature.resultKnown) {
    rows.push_back({QStringLiteral("Result"), form.resolvedType(function.signature.result), true});
  }
  if (function.instructions > 0) {
    const QString kernels = format::counted(qint64(function.kernelCalls), "kernel", "kernels");
    const QString builtins = format::counted(qint64(function.builtinCalls), "builtin", "builtins");
    rows.push_back({QStringLiteral("Calls in its body"), kernels + QStringLiteral(", ") + builtins, false});
  }
  return rows;
}

/// Those that are not as usual.
void addRunSettings(std::vector<FactList::Row>& rows, const RunOptions& options) {
  const auto add = [&rows](const char* name, const QString& value, bool isCode = false) {
    rows.push_back({QString::fromLatin1(name), value, isCode});
  };
  if (options.threads > 0) add("Threads", format::integer(options.threads));
  if (!options.pin) add("Threads pinned", QStringLiteral("no"));
  if (options.spinUs != kUsualSpinUs)
    add("Threads spin", QStringLiteral("%1 µs").arg(format::integer(options.spinUs)));
  if (options.allocator == runtime::AllocatorKind::Naive) add("Allocator", QStringLiteral("naive"));
  if (options.overhead != profile::OverheadCheck::Auto) add("Overhead check", overheadWord(options.overhead));
  if (!options.counters.isEmpty()) add("Counters", options.counters.join(QStringLiteral(", ")), true);
  if (options.timeoutSeconds > 0)
    add("Longest wait", QStringLiteral("%1 s for an answer").arg(format::integer(options.timeoutSeconds)));
  if (options.plugins.isEmpty()) return;
  QStringList libraries;
  for (const QString& plugin : options.plugins) libraries << plugin.section(QLatin1Char('/'), -1);
  add("Plugins", libraries.join(QStringLiteral(", ")), true);
}

void addHowItRuns(std::vector<FactList::Row>& rows, const Workspace& workspace) {
  const RunChoices& choices = workspace.choices();
  rows.push_back({QStringLiteral("Repeats"),
                  QStringLiteral("%1, after %2 to warm up").arg(choices.repeats).arg(choices.warmup), false});
  addRunSettings(rows, workspace.optionsInForce());
  if (const QString words = workspace.leftOutWords(); !words.isEmpty()) {
    rows.push_back({QStringLiteral("Not on this board"),
                    QStringLiteral("%1: TVM's own server cannot do it").arg(words), false});
  }
  const session::ExecutableInfo& info = *workspace.executable();
  QStringList built = {fromStd(info.architecture)};
  if (!info.tvmVersion.empty()) built << QStringLiteral("TVM %1").arg(fromStd(info.tvmVersion));
  built.removeAll(QString());
  rows.push_back({QStringLiteral("Built for"), built.join(QStringLiteral(" · ")), false});
}

std::vector<FactList::Row> whatScenarioRuns(const ScenarioForm& scenario) {
  std::vector<FactList::Row> rows = {{QStringLiteral("Scenario"), scenario.fileName(), true}};
  if (!scenario.arraysFile().isEmpty()) {
    const QString arrays = scenario.arraysFile().section(QLatin1Char('/'), -1);
    rows.push_back({QStringLiteral("Arrays"), arrays, true});
  }
  if (const session::ScenarioInfo* info = scenario.info(); info != nullptr && !info->steps.empty()) {
    QStringList names;
    for (const session::ScenarioStepInfo& step : info->steps) {
      if (names.size() < 4) names << fromStd(step.name);
    }
    if (info->steps.size() > 4) names << QStringLiteral("…");
    rows.push_back({QStringLiteral("Steps"), format::integer(std::int64_t(info->steps.size())), false});
    rows.push_back({QStringLiteral("Calls"), names.join(QLatin1String(", ")), true});
  }
  return rows;
}

void addSignature(ReadyText& text, const InputForm& form, const session::FunctionInfo& function) {
  int shown = 0;
  for (const vm::Parameter& parameter : function.signature.parameters) {
    if (++shown > kShownSignatures) break;
    text.whereFrom.push_back({fromStd(parameter.name), fromStd(vm::describeParameter(parameter)), true});
  }
  if (const auto all = qint64(function.signature.parameters.size()); all > kShownSignatures) {
    text.whereFrom.push_back(
        {QStringLiteral("and"), format::counted(all - kShownSignatures, "more input", "more inputs"), false});
  }
  QStringList free;
  for (const DimensionField& field : form.dimensions()) free << field.name;
  text.whereFromNote =
      QStringLiteral("Fixed dimensions cannot be changed: the kernels were compiled for them.");
  if (free.size() == 1) {
    text.whereFromNote +=
        QStringLiteral(" %1 is free and asked once for all inputs that use it.").arg(free.front());
  } else if (!free.isEmpty()) {
    text.whereFromNote += QStringLiteral(" %1 are free and asked once for all inputs that use them.")
                              .arg(free.join(QLatin1String(", ")));
  }
}

/// What may disturb times that are measured here now.
std::vector<NoteList::Note> computerNotes(const session::ComputerState& computer) {
  constexpr double kQuietPart = 0.2;  // of the cores; from there on the noise grade of a run is C
  std::vector<NoteList::Note> notes;
  const auto add = [&notes](bool fine, const QString& title, const char* detail) {
    notes.push_back({fine ? "ok" : "warning", fine ? IconInk::Success : IconInk::Warning, title,
                     QString::fromUtf8(detail)});
  };
  if (!computer.governor.empty()) {
    add(computer.isSteady, QStringLiteral("The CPU governor is %1").arg(fromStd(computer.governor)),
        computer.isSteady ? "The clock stays as it is."
                          : "The clock follows the load, which shows as noise. To keep it steady: "
                            "sudo cpupower frequency-set -g performance");
  }
  if (computer.load && computer.cores > 0) {
    const bool quiet = *computer.load < kQuietPart * computer.cores;
    add(quiet,
        QStringLiteral("Load %1 in the last minute, on %2")
            .arg(format::fixed(*computer.load, 1), format::counted(computer.cores, "core", "cores")),
        quiet ? "Quiet enough to measure." : "Other programs may take time from what is measured.");
  }
  return notes;
}

}  // namespace

ReadyText readyText(const Workspace& workspace, InputForm& form) {
  ReadyText text;
  const session::FunctionInfo* function = workspace.currentFunction();
  if (function == nullptr) return text;
  text.function = workspace.runName();
  if (workspace.scenario().isChosen()) {
    text.whatWillRun = whatScenarioRuns(workspace.scenario());
  } else {
    text.whatWillRun = whatFunctionRuns(form, *function);
    addSignature(text, form, *function);
  }
  addHowItRuns(text.whatWillRun, workspace);
  const QString processor = fromStd(workspace.computer().processor);
  const QString threads =
      format::counted(std::thread::hardware_concurrency(), "hardware thread", "hardware threads");
  text.computer = {
      {QStringLiteral("Processor"),
       QStringLiteral("%1, %2").arg(processor.isEmpty() ? QSysInfo::currentCpuArchitecture() : processor,
                                    threads),
       false},
      {QStringLiteral("System"),
       QStringLiteral("%1, kernel %2").arg(QSysInfo::prettyProductName(), QSysInfo::kernelVersion()), false},
      {QStringLiteral("Device"), workspace.choices().device, false}};
  if (workspace.choices().target != kLocalTarget)
    text.computer.push_back(
        {QStringLiteral("Runs on"), workspace.targetName(workspace.choices().target), false});
  if (ownTargetName(workspace.choices().target).size() > 0)
    text.computerNotes = computerNotes(workspace.computer());
  text.command = workspace.commandLine();
  text.canRun = workspace.canRun();
  text.wrongInput = !workspace.scenario().isChosen() && !form.isValid();
  text.running = workspace.isRunning();
  return text;
}

namespace {

constexpr double kMostSteps = 1e6;

QString runningTitle(const Workspace& workspace, bool measuring) {
  const QString function = workspace.runName();
  if (!workspace.waiting().isEmpty()) return QStringLiteral("Waiting for a board");
  switch (workspace.activity()) {
    case Activity::Dump:
      return QStringLiteral("Dumping tensors of %1").arg(function);
    case Activity::FiniteCheck:
      return QStringLiteral("Looking for NaN and Inf in %1").arg(function);
    case Activity::Diverge:
      return QStringLiteral("Looking for the first op that differs");
    case Activity::Fleet:
      return QStringLiteral("Measuring %1 on all free boards").arg(function);
    case Activity::Profile:
    case Activity::PlainRun:
      break;
  }
  return (measuring ? QStringLiteral("Measuring %1") : QStringLiteral("Running %1")).arg(function);
}

/// What a stop waits for, and for how long at most.
QString stoppingWords(const Workspace& workspace) {
  if (workspace.activity() == Activity::Fleet) return QStringLiteral("boards end what they do now");
  const QString& target = workspace.choices().target;
  if (target == kLocalTarget) return QStringLiteral("ends at the next instruction");
  if (target == kIsolatedTarget) return QStringLiteral("ends with this call; after 5 s the process is ended");
  return QStringLiteral("the board ends this call; after 5 s the connection is cut");
}

}  // namespace

RunningText runningText(const Workspace& workspace) {
  RunningText text;
  const session::Progress& progress = workspace.progress();
  const bool measuring =
      progress.stage == session::State::Measuring && workspace.activity() == Activity::Profile;
  text.stopping = workspace.isStopping() || progress.stage == session::State::Stopping;
  text.stoppingSeconds = workspace.stoppingSeconds();
  text.title = runningTitle(workspace, measuring);
  // Bytes of a large upload are more than an int holds.
  const double unit = double(progress.total) > kMostSteps ? double(progress.total) / kMostSteps : 1;
  text.total = int(double(progress.total) / unit);
  text.done = int(double(progress.done) / unit);
  text.remainingSeconds = progress.remainingSeconds;
  if (!workspace.waiting().isEmpty()) {
    text.detail = workspace.waiting();
  } else if (progress.stage == session::State::Preparing && progress.total > 0) {
    text.detail = QStringLiteral("uploading %1 of %2")
                      .arg(format::bytes(double(progress.done)), format::bytes(double(progress.total)));
  } else if (workspace.activity() == Activity::Fleet && progress.total > 0) {
    text.detail = QStringLiteral("%1 of %2 done")
                      .arg(progress.done)
                      .arg(format::counted(std::int64_t(progress.total), "board", "boards"));
  }
  if (measuring && progress.total > 0) {
    text.detail = QStringLiteral("repeat %1 of %2")
                      .arg(format::integer(qint64(std::min(progress.done + 1, progress.total))),
                           format::integer(qint64(progress.total)));
    text.kept = int(progress.kept.value_or(progress.done));
    text.keepsMore = progress.kept.has_value();
  }
  if (text.stopping) {
    text.remainingSeconds = -1;
    text.detail = stoppingWords(workspace);
  }
  session::State last = session::State::Idle;
  for (const StageLine& stage : workspace.stages()) {
    const QString words = stageWords(stage.stage, workspace.choices());
    if (words.isEmpty()) continue;
    text.stages.push_back({words, stage.seconds,
                           stage.finished ? RunningText::Stage::Mark::Done : RunningText::Stage::Mark::Now});
    last = stage.stage;
  }
  if (workspace.activity() != Activity::Profile) return text;
  for (const auto stage : {session::State::WarmingUp, session::State::Measuring, session::State::Finishing}) {
    if (int(stage) <= int(last) || (stage == session::State::WarmingUp && workspace.choices().warmup == 0))
      continue;
    text.stages.push_back({stageWords(stage, workspace.choices()), 0, RunningText::Stage::Mark::ToCome});
  }
  return text;
}

bool isOnBoard(const Failure& failure) {
  return failure.during == Failure::During::Running && !failure.targetId.isEmpty() &&
         ownTargetName(failure.targetId).isEmpty();
}

bool isBoardLost(const Failure& failure) {
  return isOnBoard(failure) && (failure.error.code == base::ErrorCode::ConnectionLost ||
                                failure.error.code == base::ErrorCode::Timeout);
}

QString failureTitle(const Failure& failure) {
  switch (failure.during) {
    case Failure::During::Opening:
      return QStringLiteral("This file cannot be opened");
    case Failure::During::Running:
      if (isBoardLost(failure)) return QStringLiteral("The run stopped: the board no longer answers");
      if (failure.targetId == kIsolatedTarget && failure.error.code == base::ErrorCode::ConnectionLost)
        return QStringLiteral("The run stopped: its process ended");
      return QStringLiteral("The run of %1 stopped").arg(failure.function);
    case Failure::During::Exporting:
      return QStringLiteral("The file was not written");
  }
  return {};
}

ErrorText errorText(const Failure& failure, const Workspace& workspace) {
  ErrorText text;
  text.title = failureTitle(failure);
  const auto words = isOnBoard(failure) ? sentence : fromStd;
  text.summary = words(failure.error.message);
  text.why = words(failure.error.detail);
  text.whatToDo = words(windowWords(failure.error.hint).toStdString());
  text.where.push_back({QStringLiteral("File"), format::shortPath(failure.path), true});
  if (failure.during == Failure::During::Running) {
    text.where.push_back({QStringLiteral("Function"), failure.function, true});
    text.where.push_back({QStringLiteral("Target"), workspace.targetName(failure.targetId), false});
    if (isOnBoard(failure))
      text.where.push_back({QStringLiteral("Address"), workspace.targetText(failure.targetId), true});
    text.where.push_back({QStringLiteral("Device"), workspace.choices().device, false});
  }
  text.where.push_back({QStringLiteral("Kind of error"), kindWords(failure.error.code), false});
  for (const LogLine& line : workspace.log()) {
    text.log.push_back(
        {line.time.toString(QStringLiteral("HH:mm:ss.zzz")), line.stage, line.words, line.isError});
  }
  return text;
}

}  // namespace opscope::ui
