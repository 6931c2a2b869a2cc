// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/commands/export_command.h"

#include "engine/report/exporters.h"
#include "ui/models/format.h"

namespace opscope::ui {
namespace {

/// Ctrl+E is the report that TVM's own tools read.
constexpr std::pair<std::string_view, const char*> kExportKeys[] = {
    {"json", "Ctrl+E"},          {"csv", "Ctrl+Shift+E"},   {"table", "Ctrl+Shift+X"},
    {"samples", "Ctrl+Shift+A"}, {"trace", "Ctrl+Shift+G"}, {"html", "Ctrl+Shift+H"}};

}  // namespace

ExportCommand::ExportCommand(const CommandContext& context, const report::Exporter& exporter,
                             bool beginsGroup)
    : Command(context, {"file.export", "Export", "Save the run in this format", nullptr, "save", Menu::File,
                        beginsGroup}),
      m_exporter(exporter) {
  setText(QStringLiteral("Export %1…").arg(format::fromUtf8(exporter.title)));
  setObjectName(QStringLiteral("file.export.") + format::fromUtf8(exporter.id));
  for (const auto& [id, keys] : kExportKeys) {
    if (exporter.id == id) giveShortcut(QString::fromLatin1(keys));
  }
}

void ExportCommand::execute() {
  window().askExport(m_exporter);
}

bool ExportCommand::possible() const {
  const auto& run = workspace().run();
  return run != nullptr && (!m_exporter.needsStartTimes || run->run().hasStartTimes);
}

}  // namespace opscope::ui
