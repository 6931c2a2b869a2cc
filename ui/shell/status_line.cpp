// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/status_line.h"

#include <QHBoxLayout>
#include <QPainter>

#include "ui/models/format.h"
#include "ui/views/look/icons.h"

namespace opscope::ui {
namespace {

constexpr int kNoticeMs = 6000;
constexpr int kBarSteps = 1000;

/// "18 of 30"; of an upload "1.2 of 3.4 MiB".
QString progressText(const session::Progress& progress) {
  if (progress.stage == session::State::Preparing) {
    return QStringLiteral("%1 of %2")
        .arg(format::bytes(double(progress.done)), format::bytes(double(progress.total)));
  }
  return QStringLiteral("%1 of %2")
      .arg(format::integer(qint64(progress.done)), format::integer(qint64(progress.total)));
}

/// Where it runs, and whether a board is there: "cpu:0 · rk3588 on the desk, connected".
QString connectionText(const Workspace& workspace) {
  const RunChoices& choices = workspace.choices();
  if (choices.target == kLocalTarget) return choices.device;
  const QString name = workspace.targetName(choices.target);
  if (!workspace.waiting().isEmpty()) return QStringLiteral("%1, not connected yet").arg(name);
  const session::State stage = workspace.progress().stage;
  const bool connected = workspace.progress().total > 0 || stage == session::State::WarmingUp ||
                         stage == session::State::Measuring || stage == session::State::Finishing;
  return QStringLiteral("%1 · %2%3")
      .arg(choices.device, name, connected ? QStringLiteral(", connected") : QString());
}

QString stageText(const Workspace& workspace) {
  const session::Progress& progress = workspace.progress();
  if (workspace.isStopping()) {
    const int seconds = workspace.stoppingSeconds();
    return seconds > 0 ? QStringLiteral("Stopping… %1 s").arg(seconds) : QStringLiteral("Stopping…");
  }
  if (!workspace.waiting().isEmpty()) return QStringLiteral("Waiting · ") + workspace.waiting();
  if (workspace.activity() == Activity::Fleet) return QStringLiteral("Boards done");
  switch (progress.stage) {
    case session::State::Opening:
      return QStringLiteral("Opening");
    case session::State::Preparing:
      return progress.total > 0 ? QStringLiteral("Uploading") : QStringLiteral("Making inputs");
    case session::State::WarmingUp:
      return QStringLiteral("Warming up");
    case session::State::Measuring:
      return QStringLiteral("Measuring");
    case session::State::Finishing:
      return QStringLiteral("Building the report");
    case session::State::Stopping:
      return QStringLiteral("Stopping at the next instruction");
    default:
      return QStringLiteral("Starting");
  }
}

QString shownWords(const RunOrigin& origin) {
  switch (origin.kind) {
    case RunOrigin::Kind::Saved:
      return QStringLiteral("Saved run shown");
    case RunOrigin::Kind::File:
      return QStringLiteral("Imported %1 shown").arg(origin.format);
    case RunOrigin::Kind::Measured:
      break;
  }
  return QStringLiteral("Run finished");
}

/// Without a run that is shown: what there is of one that failed.
QString measuredWords(const std::optional<Failure>& failure) {
  if (!failure || failure->during != Failure::During::Running) return QStringLiteral("Nothing measured yet");
  if (!failure->partial) return QStringLiteral("No repeat was finished");
  return QStringLiteral("%1 kept").arg(
      format::counted(failure->partial->run().repeats, "finished repeat", "finished repeats"));
}

}  // namespace

StatusLine::StatusLine(const Theme* theme, Workspace* workspace, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_workspace(workspace) {
  setFixedHeight(theme->px(26));
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(theme->px(10), 1, theme->px(10), 0);
  layout->setSpacing(theme->px(6));
  m_bar = new QProgressBar;
  m_bar->setFixedWidth(theme->px(160));
  m_bar->setTextVisible(false);
  m_bar->setAccessibleName(QStringLiteral("Progress"));
  m_icon = new IconLabel(QIcon(), theme->px(14));
  m_state = new ElidedText(theme, 12, &Colours::textSecondary, QFont::Normal, Qt::ElideRight);
  m_detail = new ElidedText(theme, 12, &Colours::textSecondary, QFont::Normal, Qt::ElideRight);
  m_warningIcon = new IconLabel(lookIcon(theme, "warning", IconInk::Warning), theme->px(14));
  m_warnings = new Text(theme, 12, &Colours::warning);
  m_right = new Text(theme, 12, &Colours::textSecondary);
  layout->addWidget(m_bar);
  layout->addWidget(m_icon);
  layout->addWidget(m_state);
  layout->addSpacing(theme->px(10));
  layout->addWidget(m_detail);
  layout->addSpacing(theme->px(10));
  layout->addWidget(m_warningIcon);
  layout->addWidget(m_warnings);
  layout->addStretch(1);
  layout->addWidget(m_right);
  m_noticeTimer.setSingleShot(true);
  connect(&m_noticeTimer, &QTimer::timeout, this, [this]() {
    m_notice.clear();
    refresh();
  });
  connect(workspace, &Workspace::statusChanged, this, &StatusLine::refresh);
  connect(workspace, &Workspace::failureChanged, this, &StatusLine::refresh);
  connect(workspace, &Workspace::runChanged, this, &StatusLine::refresh);
  connect(workspace, &Workspace::noticed, this, &StatusLine::notice);
  connect(theme, &Theme::changed, this, qOverload<>(&QWidget::update));
  refresh();
}

void StatusLine::notice(const QString& text) {
  m_notice = text;
  m_noticeTimer.start(kNoticeMs);
  refresh();
}

void StatusLine::setQuestion(const QString& text) {
  m_question = text;
  refresh();
}

void StatusLine::setPage(const QString& note, const QString& state, const QString& detail) {
  m_pageNote = note;
  m_pageState = state;
  m_pageDetail = detail;
  refresh();
}

void StatusLine::showState(const char* iconName, IconInk ink, QColor Colours::*colour, const QString& text) {
  m_icon->setVisible(iconName != nullptr);
  if (iconName != nullptr) m_icon->setIcon(lookIcon(m_theme, iconName, ink));
  m_state->setColour(colour);
  m_state->setText(text);
}

void StatusLine::refresh() {
  const bool running = m_workspace->isRunning();
  m_bar->setVisible(running);
  m_right->setText(m_pageNote);
  m_right->setColour(running && !m_question.isEmpty() ? &Colours::text : &Colours::textSecondary);
  refreshWarnings();
  if (running) {
    const session::Progress& progress = m_workspace->progress();
    const bool known = progress.total > 0;
    // Bytes of a large file are more than a bar can count.
    m_bar->setRange(0, known ? kBarSteps : 0);
    m_bar->setValue(known ? int(double(progress.done) / double(progress.total) * kBarSteps) : 0);
    QString text = stageText(*m_workspace);
    if (known) text += QStringLiteral(" · ") + progressText(progress);
    if (progress.remainingSeconds >= 0 && !m_workspace->isStopping())
      text += QStringLiteral(" · ") + format::remaining(progress.remainingSeconds);
    showState(nullptr, IconInk::Text, &Colours::textSecondary, text);
    m_detail->setText(connectionText(*m_workspace));
    m_right->setText(m_question.isEmpty() ? QStringLiteral("Drawn between repeats only, never inside one")
                                          : m_question);
    return;
  }
  refreshIdle();
}

void StatusLine::refreshWarnings() {
  QStringList titles;
  if (m_workspace->run() && !m_workspace->isRunning()) {
    for (const RunNote& note : m_workspace->run()->notes) {
      if (note.isWarning) titles << note.title;
    }
  }
  m_warningIcon->setVisible(!titles.isEmpty());
  m_warnings->setVisible(!titles.isEmpty());
  if (titles.isEmpty()) return;
  m_warnings->setText(format::counted(titles.size(), "warning", "warnings"));
  m_warnings->setToolTip(titles.join(QLatin1Char('\n')));
  m_warnings->setAccessibleDescription(m_warnings->toolTip());
}

void StatusLine::refreshIdle() {
  const auto& run = m_workspace->run();
  const auto& executable = m_workspace->executable();
  QStringList detail;
  if (m_workspace->failure()) {
    showState("error", IconInk::Error, &Colours::error,
              format::fromUtf8(m_workspace->failure()->error.message));
    if (m_workspace->boards()->find(m_workspace->failure()->targetId) != nullptr)
      detail << QStringLiteral("%1 · not connected")
                    .arg(m_workspace->targetName(m_workspace->failure()->targetId));
  } else if (!m_workspace->scenario()->isValid()) {
    showState("error", IconInk::Error, &Colours::error,
              QStringLiteral("%1 to correct").arg(m_workspace->scenario()->fileName()));
  } else if (!m_workspace->scenario()->isChosen() && m_workspace->form()->problemCount() > 0) {
    const int count = m_workspace->form()->problemCount();
    showState("error", IconInk::Error, &Colours::error,
              format::counted(count, "input to correct", "inputs to correct"));
  } else if (!m_notice.isEmpty()) {
    showState("info", IconInk::Secondary, &Colours::textSecondary, m_notice);
  } else if (m_workspace->isOpening()) {
    showState(nullptr, IconInk::Text, &Colours::textSecondary, QStringLiteral("Opening"));
  } else if (run || !m_pageState.isEmpty()) {
    showShown();
  } else {
    showState(nullptr, IconInk::Text, &Colours::textSecondary, QStringLiteral("Ready"));
  }
  if (run) {
    const bool one = run->run().repeats == 1;
    detail << QStringLiteral("%1 %2 · %3 %4")
                  .arg(run->repeatsText(),
                       one && !run->isPartial() ? QStringLiteral("repeat") : QStringLiteral("repeats"),
                       one ? QStringLiteral("total") : QStringLiteral("median"),
                       format::duration(run->figures.totalUs).text());
    if (one) detail << QStringLiteral("1 repeat: the noise of this run is unknown");
    const RunOrigin& origin = m_workspace->origin();
    if (m_pageNote.isEmpty() && origin.savedAt.isValid()) {
      m_right->setText(QStringLiteral("Saved %1").arg(origin.savedAt.toString(QStringLiteral("HH:mm"))));
    } else if (m_pageNote.isEmpty() && origin.kind == RunOrigin::Kind::File) {
      m_right->setText(QStringLiteral("From a file, not measured here"));
    }
  } else if (executable) {
    if (m_workspace->choices().target != kLocalTarget && detail.isEmpty())
      detail << QStringLiteral("Target: %1").arg(m_workspace->targetName(m_workspace->choices().target));
    detail << QStringLiteral("%1 · %2 · %3")
                  .arg(m_workspace->fileName(),
                       format::counted(qint64(executable->functions.size()), "function", "functions"),
                       format::counted(qint64(executable->kernels.size()), "kernel", "kernels"));
    if (m_pageNote.isEmpty()) m_right->setText(measuredWords(m_workspace->failure()));
  } else if (!m_workspace->isOpening()) {
    m_right->setText(QStringLiteral("No file open"));
  }
  const bool ofPage = !m_pageState.isEmpty() && !m_workspace->failure();
  m_detail->setText(ofPage ? m_pageDetail : detail.join(QStringLiteral("    ")));
}

/// What the page shows, else the run.
void StatusLine::showShown() {
  if (!m_pageState.isEmpty()) {
    showState("ok", IconInk::Success, &Colours::textSecondary, m_pageState);
    return;
  }
  const RunView& run = *m_workspace->run();
  QStringList parts = {shownWords(m_workspace->origin()), run.fileName()};
  if (!run.run().function.empty()) parts << format::fromUtf8(run.run().function);
  const bool partial = run.isPartial();
  if (partial && m_workspace->origin().kind == RunOrigin::Kind::Measured)
    parts[0] = QStringLiteral("Run stopped after %1 repeats").arg(run.repeatsText());
  showState(partial ? "warning" : "ok", partial ? IconInk::Warning : IconInk::Success,
            partial ? &Colours::warning : &Colours::textSecondary, parts.join(QStringLiteral(" · ")));
}

void StatusLine::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), m_theme->colours().window);
  painter.fillRect(QRect(0, 0, width(), 1), m_theme->colours().line);
}

}  // namespace opscope::ui
