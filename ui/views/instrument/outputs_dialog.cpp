// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/instrument/outputs_dialog.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <algorithm>

#include "ui/models/format.h"
#include "ui/views/delegates/runs_delegates.h"
#include "ui/views/widgets/header_width.h"

namespace opscope::ui {
namespace {

constexpr double kWidth = 940;
constexpr double kHeight = 360;

}  // namespace

OutputsDialog::OutputsDialog(const Theme* theme, QWidget* parent)
    : QDialog(parent), m_theme(theme), m_model(new OutputsModel(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(theme->px(18), theme->px(14), theme->px(18), theme->px(14));
  layout->setSpacing(theme->px(12));
  layout->addLayout(buildHead());
  auto* panel = new Panel(theme, {});
  m_table = new DataTable(theme);
  m_table->setModel(m_model);
  m_table->setAccessibleName(QStringLiteral("Outputs"));
  for (int column = OutputsModel::Least; column <= OutputsModel::Infinities; ++column)
    m_table->setItemDelegateForColumn(column, new NumberDelegate(theme, m_table));
  m_table->setItemDelegateForColumn(OutputsModel::Path, new BodyTextDelegate(theme, m_table));
  m_table->horizontalHeader()->setStretchLastSection(true);
  panel->body()->addWidget(m_table);
  layout->addWidget(panel, 1);
  m_saved = new Text(theme, 12, &Colours::textSecondary);
  m_saved->setWordWrap(true);
  m_saved->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_saved->hide();
  layout->addWidget(m_saved);
  layout->addLayout(buildFoot());
  connect(theme, &Theme::changed, this, &OutputsDialog::layoutTable);
  const QSize most =
      parent != nullptr ? parent->size() - QSize(theme->px(24), theme->px(24)) : QSize(4000, 4000);
  resize(QSize(theme->px(kWidth), theme->px(kHeight)).boundedTo(most));
}

QLayout* OutputsDialog::buildHead() {
  auto* head = new QHBoxLayout;
  head->setSpacing(m_theme->px(12));
  m_icon = new IconLabel(QIcon(), m_theme->px(20));
  auto* texts = new QVBoxLayout;
  texts->setSpacing(m_theme->px(4));
  m_title = new Text(m_theme, 15, &Colours::text, QFont::DemiBold);
  m_text = new Text(m_theme, 13, &Colours::textSecondary);
  for (Text* text : {m_title, m_text}) {
    text->setWordWrap(true);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    texts->addWidget(text);
  }
  head->addWidget(m_icon, 0, Qt::AlignTop);
  head->addLayout(texts, 1);
  return head;
}

QLayout* OutputsDialog::buildFoot() {
  auto* foot = new QHBoxLayout;
  foot->setSpacing(m_theme->px(8));
  m_save = new ActionButton(m_theme, "save", QStringLiteral("Save outputs as .npz…"));
  m_save->setToolTip(QStringLiteral("An array for each output, named as in the table"));
  auto* copy = new ActionButton(m_theme, "copy", QStringLiteral("Copy"));
  copy->setToolTip(QStringLiteral("Copy the chosen rows, or all (Ctrl+C)"));
  auto* close = new ActionButton(m_theme, nullptr, QStringLiteral("Close"));
  close->setPrimary(true);
  foot->addWidget(m_save);
  foot->addWidget(copy);
  foot->addStretch(1);
  foot->addWidget(close);
  connect(m_save, &QPushButton::clicked, this, &OutputsDialog::saveRequested);
  connect(copy, &QPushButton::clicked, this,
          [this]() { QGuiApplication::clipboard()->setText(m_table->rowsText(TextFormat::TabSeparated)); });
  connect(close, &QPushButton::clicked, this, &QDialog::close);
  return foot;
}

void OutputsDialog::layoutTable() {
  constexpr double kWidths[] = {84, 76, 132, 88, 88, 88, 56, 56};
  for (int column = 0; column < OutputsModel::Values; ++column)
    m_table->setColumnWidth(column, headerWidth(m_theme, m_model, column, kWidths[column]));
}

void OutputsDialog::setOutputs(const QString& name, const session::RunFinished& result) {
  setWindowTitle(QStringLiteral("Results of %1").arg(name));
  const bool bad = anyNotFinite(result.outputs);
  m_icon->setIcon(lookIcon(m_theme, bad ? "warning" : "ok", bad ? IconInk::Warning : IconInk::Success));
  m_title->setText(QStringLiteral("%1 ran once, without timing").arg(name));
  QStringList lines = {outputsSummary(result.outputs)};
  for (const report::Warning& warning : result.warnings) lines << format::fromUtf8(warning.message);
  m_text->setText(lines.join(QLatin1Char('\n')));
  setAccessibleName(m_title->text());
  m_model->setOutputs(result.outputs);
  layoutTable();
  m_save->setEnabled(std::ranges::any_of(
      result.outputs, [](const session::OutputSummary& output) { return output.facts.has_value(); }));
  if (m_model->rowCount() > 0) m_table->setCurrentIndex(m_model->index(0, 0));
  m_table->clearSelection();
  m_table->setFocus(Qt::OtherFocusReason);
}

void OutputsDialog::tell(const QString& words, QColor Colours::*colour) {
  m_saved->setColour(colour);
  m_saved->setText(words);
  m_saved->show();
}

void OutputsDialog::setSaving() {
  m_save->setEnabled(false);
  tell(QStringLiteral("Saving the outputs…"), &Colours::textSecondary);
}

void OutputsDialog::setSaved(const QString& path) {
  m_save->setEnabled(true);
  tell(QStringLiteral("Saved as %1").arg(format::shortPath(path)), &Colours::textSecondary);
}

void OutputsDialog::setProblem(const base::Error& error) {
  m_save->setEnabled(true);
  tell(format::errorLines(error), &Colours::error);
}

}  // namespace opscope::ui
