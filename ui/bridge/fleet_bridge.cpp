// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/fleet_bridge.h"

namespace opscope::ui {

FleetBridge::FleetBridge(QObject* parent) : QObject(parent) {}

FleetBridge::~FleetBridge() {
  m_stop.request_stop();
}

void FleetBridge::start(const session::ProfileRequest& request) {
  if (m_busy) return;
  m_busy = true;
  m_stop = std::stop_source();
  const QPointer<FleetBridge> self(this);
  m_background.run(
      this,
      [self, request, stop = m_stop.get_token()]() -> std::optional<base::Error> {
        session::FleetOptions options;
        options.stop = stop;
        options.onStart = [self](std::size_t boards) {
          onGuiThread(self, [boards](FleetBridge* bridge) { Q_EMIT bridge->started(int(boards)); });
        };
        options.onResult = [self](const session::FleetResult& result) {
          onGuiThread(self, [result](FleetBridge* bridge) { Q_EMIT bridge->boardFinished(result); });
        };
        const auto results = session::profileFleet(request, options);
        if (results) return std::nullopt;
        return results.error();
      },
      [this](const std::optional<base::Error>& error) {
        m_busy = false;
        Q_EMIT finished(error);
      });
}

void FleetBridge::stop() {
  m_stop.request_stop();
}

}  // namespace opscope::ui
