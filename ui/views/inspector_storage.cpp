// SPDX-License-Identifier: GPL-3.0-or-later
// The Inspector's part about a storage of the Memory page: how large, how long, by whom, for what.
#include <algorithm>

#include "ui/models/format.h"
#include "ui/views/inspector.h"

namespace opscope::ui {
namespace {

constexpr double kPercent = 100;
constexpr double kNsPerUs = 1000;
/// Of a line: what its name and the op called there may take together.
constexpr int kRowWidth = 220;

QString moment(double ns) {
  return ns > 0 ? format::duration(ns / kNsPerUs).text() : QStringLiteral("the start");
}

/// Of the arguments of its writer the last one that is as large: results stand behind what is read.
QString shapeOfLargest(const report::Run& run, const report::StorageLife& life) {
  if (life.writer >= run.calls.size() || run.calls[life.writer].shapes >= run.shapes.size()) return {};
  const auto arguments = argumentsOf(QString::fromStdString(run.shapes[run.calls[life.writer].shapes]));
  for (auto argument = arguments.rbegin(); argument != arguments.rend(); ++argument) {
    if (std::int64_t(argument->bytes) == life.tensorBytes) return argument->text;
  }
  return {};
}

QString tensorWords(const report::StorageLife& life) {
  if (life.tensorCount == 0) return QStringLiteral("none");
  if (life.tensorCount == 1) return QStringLiteral("1 of %1").arg(format::bytes(double(life.tensorBytes)));
  return QStringLiteral("%1, the largest %2")
      .arg(format::integer(life.tensorCount), format::bytes(double(life.tensorBytes)));
}

}  // namespace

void Inspector::setStorage(std::shared_ptr<const MemoryData> memory, std::optional<std::uint32_t> box) {
  if (box && (!memory || *box >= memory->boxes.size())) box.reset();
  if (m_memory == memory && m_box == box) return;
  m_memory = std::move(memory);
  m_box = box;
  refreshLater();
}

QLabel* Inspector::addFact(QGridLayout* grid, const QString& name, const QString& value) {
  const int row = grid->rowCount();
  auto* words = plainText(m_theme, name, 12, &Colours::textSecondary);
  grid->addWidget(words, row, 0, Qt::AlignTop);
  auto* text = plainText(m_theme, value, 12, &Colours::text);
  text->setWordWrap(true);
  text->setAlignment(Qt::AlignRight | Qt::AlignTop);
  text->setAccessibleName(name + QLatin1String(": ") + value);
  grid->addWidget(text, row, 1);
  return text;
}

void Inspector::addCallFact(QGridLayout* grid, const QString& name, std::uint32_t call,
                            const QString& without) {
  const report::Run& run = m_memory->run->run();
  if (call >= run.calls.size()) {
    addFact(grid, name, without);
    return;
  }
  const report::Call& about = run.calls[call];
  const int row = grid->rowCount();
  auto* words = plainText(m_theme, name, 12, &Colours::textSecondary);
  grid->addWidget(words, row, 0);
  auto* value = new QHBoxLayout;
  value->setSpacing(m_theme->px(6));
  auto* op = new ElidedText(m_theme, 12, &Colours::text);
  op->setText(format::fromUtf8(run.names[about.name]));
  op->setAccessibleName(name + QLatin1Char(' ') + format::fromUtf8(run.names[about.name]));
  op->setAlignment(Qt::AlignRight);
  // A long name has a line of its own, as wide as the panel.
  const int beside = m_theme->px(kRowWidth) - words->sizeHint().width();
  const bool isLong = op->sizeHint().width() > beside;
  if (isLong) {
    value->addStretch(1);
    grid->addWidget(op, row + 1, 0, 1, 2);
  } else {
    value->addWidget(op, 1);
  }
  const QString number = QStringLiteral("#%1").arg(about.instruction);
  if (hasCode()) {
    auto* place = new LinkButton(m_theme, number);
    place->setToolTip(QStringLiteral("Show instruction %1 in Code").arg(number));
    place->setAccessibleName(place->toolTip());
    connect(place, &QAbstractButton::clicked, this, [this, call, instruction = about.instruction]() {
      m_selection->setCall(m_run->run(), call);
      Q_EMIT instructionRequested(instruction);
    });
    value->addWidget(place);
  } else {
    value->addWidget(plainText(m_theme, number, 12, &Colours::textSecondary));
  }
  grid->addLayout(value, row, 1);
}

void Inspector::addStorage() {
  const StorageBox& box = m_memory->boxes[*m_box];
  const report::StorageLife& life = m_memory->life(*m_box);
  const report::MemoryTrack& track = m_memory->track();
  auto* head =
      plainText(m_theme, QStringLiteral("Storage %1").arg(box.storage), 15, &Colours::text, QFont::DemiBold);
  m_layout->addWidget(head);
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(m_theme->px(10));
  grid->setVerticalSpacing(m_theme->px(4));
  grid->setColumnStretch(1, 1);
  const QString size = format::bytes(double(box.bytes));
  addFact(grid, QStringLiteral("Size"),
          life.givenBytes > box.bytes
              ? QStringLiteral("%1, in a block of %2").arg(size, format::bytes(double(life.givenBytes)))
              : size);
  const bool atPeak = box.peakTensorBytes >= 0;
  const double share = track.storage.peakBytes > 0 ? double(box.bytes) / double(track.storage.peakBytes) : 0;
  addFact(grid, QStringLiteral("Of the peak"),
          atPeak ? format::percent(std::min(share, 1.0) * kPercent, 2) + QStringLiteral("\u00A0%")
                 : QStringLiteral("not live then"));
  if (atPeak) addFact(grid, QStringLiteral("In tensors then"), format::bytes(double(box.peakTensorBytes)));
  addFact(
      grid, QStringLiteral("Allocated"),
      life.before ? QStringLiteral("before the repeat") : QStringLiteral("at %1").arg(moment(life.takenNs)));
  addCallFact(grid, QStringLiteral("by"), life.call,
              life.before ? format::missing() : QStringLiteral("between calls"));
  const bool freed = life.freedNs >= 0;
  addFact(grid, QStringLiteral("Released"),
          freed ? QStringLiteral("at %1").arg(moment(life.freedNs)) : QStringLiteral("after the repeat"));
  if (freed) addCallFact(grid, QStringLiteral("during"), life.freedBy, QStringLiteral("between calls"));
  addFact(grid, QStringLiteral("Live for"), format::duration((box.untilNs - box.fromNs) / kNsPerUs).text());
  addFact(
      grid, QStringLiteral("Block"),
      life.reused ? QStringLiteral("kept from an earlier storage") : QStringLiteral("new from the system"));
  m_layout->addLayout(grid);
  addStorageTensors(life);
}

void Inspector::addStorageTensors(const report::StorageLife& life) {
  addSection(QStringLiteral("Tensors in it"), tensorWords(life));
  if (life.tensorCount == 0) return;
  const QString shape = shapeOfLargest(m_memory->run->run(), life);
  if (!shape.isEmpty()) {
    auto* type = new ElidedText(m_theme, 12, &Colours::text, QFont::Normal, Qt::ElideRight);
    type->setFixedFont(true);
    type->setText(shape);
    m_layout->addWidget(type);
  }
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(m_theme->px(10));
  grid->setColumnStretch(1, 1);
  addCallFact(grid, QStringLiteral("Written first by"), life.writer, QStringLiteral("no call of the report"));
  m_layout->addLayout(grid);
}

}  // namespace opscope::ui
