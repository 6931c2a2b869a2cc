// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/instrument/finding_dialog.h"

#include <QClipboard>
#include <QGuiApplication>

#include "ui/models/format.h"

namespace opscope::ui {
namespace {

constexpr double kWidth = 560;
constexpr std::size_t kMostInputs = 4;

QString fromStd(const std::string& text) {
  return format::fromUtf8(text);
}

QString counts(const session::NonFiniteValues& values) {
  QStringList parts;
  if (values.nans > 0) parts << QStringLiteral("%1 NaN").arg(format::integer(std::int64_t(values.nans)));
  if (values.infinities > 0)
    parts << QStringLiteral("%1 Inf").arg(format::integer(std::int64_t(values.infinities)));
  return QStringLiteral("%1 of %2 values")
      .arg(parts.join(QStringLiteral(" and ")), format::integer(std::int64_t(values.elements)));
}

}  // namespace

FindingDialog::FindingDialog(const Theme* theme, QWidget* parent) : QDialog(parent), m_theme(theme) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(theme->px(18), theme->px(16), theme->px(18), theme->px(14));
  layout->setSpacing(theme->px(12));
  auto* head = new QHBoxLayout;
  head->setSpacing(theme->px(12));
  m_icon = new IconLabel(QIcon(), theme->px(20));
  auto* texts = new QVBoxLayout;
  texts->setSpacing(theme->px(4));
  m_title = new Text(theme, 15, &Colours::text, QFont::DemiBold);
  m_title->setWordWrap(true);
  m_text = new Text(theme, 13, &Colours::textSecondary);
  m_text->setWordWrap(true);
  for (Text* text : {m_title, m_text}) {
    text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    texts->addWidget(text);
  }
  head->addWidget(m_icon, 0, Qt::AlignTop);
  head->addLayout(texts, 1);
  layout->addLayout(head);
  m_body = new QVBoxLayout;
  m_body->setSpacing(theme->px(10));
  layout->addLayout(m_body);
  layout->addStretch(1);
  m_buttons = new QHBoxLayout;
  m_buttons->setSpacing(theme->px(8));
  layout->addLayout(m_buttons);
  resize(theme->px(kWidth), theme->px(240));
}

void FindingDialog::clear() {
  clearLayout(m_body);
  clearLayout(m_buttons);
  m_buttons->addStretch(1);
}

void FindingDialog::setHead(const char* icon, IconInk ink, const QString& title, const QString& text) {
  m_icon->setIcon(lookIcon(m_theme, icon, ink));
  m_title->setText(title);
  m_text->setText(text);
  setAccessibleName(title);
}

ActionButton* FindingDialog::addButton(const QString& text, bool primary) {
  auto* button = new ActionButton(m_theme, nullptr, text);
  button->setPrimary(primary);
  m_buttons->addWidget(button);
  return button;
}

void FindingDialog::setDump(const session::DumpSummary& dump, const QString& path) {
  clear();
  setWindowTitle(QStringLiteral("Dumped tensors"));
  setHead(
      "ok", IconInk::Success,
      QStringLiteral("Arguments and results of %1 are saved")
          .arg(format::counted(std::int64_t(dump.calls), "call", "calls")),
      QStringLiteral("numpy.load reads the file: one array for each argument and result, named by the call's "
                     "number, op and place."));
  auto* facts = new FactList(m_theme);
  std::vector<FactList::Row> rows = {
      {QStringLiteral("File"), path, true},
      {QStringLiteral("Tensors"), format::integer(std::int64_t(dump.tensors)), false},
      {QStringLiteral("Size"), format::bytes(double(dump.bytes)), false}};
  if (dump.leftOut > 0)
    rows.push_back({QStringLiteral("Left out, of types that files cannot hold"),
                    format::integer(std::int64_t(dump.leftOut)), false});
  if (dump.callsBeyondLimit > 0)
    rows.push_back({QStringLiteral("Calls beyond the limit of 8 GiB, not in the file"),
                    format::integer(std::int64_t(dump.callsBeyondLimit)), false});
  if (dump.callsWithoutRoom > 0)
    rows.push_back({QStringLiteral("Calls that the board had no room for, not in the file"),
                    format::integer(std::int64_t(dump.callsWithoutRoom)), false});
  facts->setRows(rows);
  m_body->addWidget(facts);
  connect(addButton(QStringLiteral("Copy the path"), false), &QPushButton::clicked, this,
          [path]() { QGuiApplication::clipboard()->setText(path); });
  connect(addButton(QStringLiteral("Open the folder"), false), &QPushButton::clicked, this,
          [this, path]() { Q_EMIT folderRequested(path.section(QLatin1Char('/'), 0, -2)); });
  connect(addButton(QStringLiteral("Close"), true), &QPushButton::clicked, this, &QDialog::close);
}

void FindingDialog::addValues(const QString& title, const session::NonFiniteValues& values) {
  auto* name = new Text(m_theme, 12, &Colours::textSecondary, QFont::DemiBold);
  name->setText(title);
  m_body->addWidget(name);
  auto* facts = new FactList(m_theme);
  std::vector<FactList::Row> rows = {
      {fromStd(values.place), fromStd(values.description), true},
      {QStringLiteral("Not finite"), counts(values), false},
      {QStringLiteral("First"),
       QStringLiteral("%1 at %2").arg(fromStd(values.firstValue), fromStd(values.position)), true}};
  if (!values.origin.empty()) rows.push_back({QStringLiteral("Comes from"), fromStd(values.origin), false});
  facts->setRows(rows);
  m_body->addWidget(facts);
}

void FindingDialog::setFinite(const session::FiniteSummary& found, bool canShowOp) {
  clear();
  setWindowTitle(QStringLiteral("Check for NaN and Inf"));
  const QString checked = format::counted(std::int64_t(found.callsChecked), "call", "calls");
  if (found.holds()) {
    setHead("ok", IconInk::Success, QStringLiteral("All values are finite"),
            QStringLiteral("Results of %1 were looked at; none holds NaN or Inf.").arg(checked));
    connect(addButton(QStringLiteral("Close"), true), &QPushButton::clicked, this, &QDialog::close);
    return;
  }
  const QString op = fromStd(found.op);
  const bool isSource = found.inputs.empty();
  setHead("error", IconInk::Error,
          isSource ? QStringLiteral("%1 makes the first value that is not finite").arg(op)
                   : QStringLiteral("%1 gets values that are not finite").arg(op),
          found.function.empty() ? QStringLiteral("Its calls are not seen; this is its result.")
                                 : QStringLiteral("Call %1, instruction %2 of %3. The run ended there.")
                                       .arg(found.sequence)
                                       .arg(found.instruction)
                                       .arg(fromStd(found.function)));
  addValues(QStringLiteral("What it gave"), found.output);
  for (std::size_t i = 0; i < std::min(kMostInputs, found.inputs.size()); ++i)
    addValues(QStringLiteral("What it got"), found.inputs[i]);
  auto* show = addButton(QStringLiteral("Show the op"), true);
  show->setEnabled(canShowOp);
  show->setToolTip(canShowOp ? QStringLiteral("Select %1 on every page").arg(op)
                             : QStringLiteral("Run first: then the op can be shown on every page"));
  connect(show, &QPushButton::clicked, this, [this, op]() { Q_EMIT opRequested(op); });
  connect(addButton(QStringLiteral("Close"), false), &QPushButton::clicked, this, &QDialog::close);
}

}  // namespace opscope::ui
