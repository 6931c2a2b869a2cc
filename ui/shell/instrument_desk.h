// SPDX-License-Identifier: GPL-3.0-or-later
// The window's runs that look at every call, and the dialogs that show what they found. GUI thread; the
// window owns it.
#pragma once

#include <QObject>
#include <QPointer>
#include <QWidget>

#include "ui/shell/workspace.h"
#include "ui/views/instrument/diverge_dialog.h"
#include "ui/views/instrument/finding_dialog.h"
#include "ui/views/instrument/outputs_dialog.h"

namespace opscope::ui {

class InstrumentDesk : public QObject {
  Q_OBJECT
 public:
  InstrumentDesk(const Theme* theme, Workspace* workspace, QWidget* window);

  /// Asks for a folder first.
  void askDump();
  void checkFinite();
  void showDiverge();
  FindingDialog* finding() const { return m_finding; }
  OutputsDialog* outputs() const { return m_outputs; }
  DivergeDialog* divergeDialog() const { return m_diverge; }

 Q_SIGNALS:
  /// The op is selected now: a page should show it.
  void opShown();

 private:
  FindingDialog* freshFinding();
  void showOutputs(const QString& name, const session::RunFinished& result);
  void askSave(const QString& name, const std::shared_ptr<const std::string>& archive);
  void showOp(const QString& name);
  void refreshDiverge();

  const Theme* m_theme;
  Workspace* m_workspace;
  QWidget* m_window;
  QPointer<FindingDialog> m_finding;
  QPointer<OutputsDialog> m_outputs;
  QPointer<DivergeDialog> m_diverge;
};

}  // namespace opscope::ui
