// SPDX-License-Identifier: GPL-3.0-or-later
// The time that the charts of the Memory page share: what part of the repeat is in sight, where the pointer
// is, which moment is chosen. GUI thread; the page owns it.
#pragma once

#include <QObject>
#include <optional>

namespace opscope::ui {

class TimeAxis : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  double fromNs() const { return m_fromNs; }
  double untilNs() const { return m_untilNs; }
  double endNs() const { return m_endNs; }
  double spanNs() const { return m_untilNs - m_fromNs; }
  bool isWhole() const { return m_fromNs <= 0 && m_untilNs >= m_endNs; }
  const std::optional<double>& hover() const { return m_hoverNs; }
  const std::optional<double>& moment() const { return m_momentNs; }

  /// The whole of a repeat that ends then.
  void setEnd(double ns);
  /// Held within the repeat, and not narrower than can be told apart.
  void show(double fromNs, double untilNs);
  void showAll() { show(0, m_endNs); }
  /// Makes what is in sight shorter (factor below 1) or longer around a moment that stays where it is.
  void zoom(double factor, double aroundNs);
  void pan(double byNs) { show(m_fromNs + byNs, m_untilNs + byNs); }
  void setHover(std::optional<double> ns);
  void setMoment(std::optional<double> ns);

 Q_SIGNALS:
  void viewChanged();
  void hoverChanged();
  void momentChanged();

 private:
  double m_fromNs = 0;
  double m_untilNs = 1;
  double m_endNs = 1;
  std::optional<double> m_hoverNs;
  std::optional<double> m_momentNs;
};

}  // namespace opscope::ui
