// SPDX-License-Identifier: GPL-3.0-or-later
// The name of an op as a title: broken at '_' into as many lines as its width asks for, at most six. GUI
// thread; its layout owns it.
#pragma once

#include "ui/views/widgets/labels.h"

namespace opscope::ui {

class BrokenName : public Text {
  Q_OBJECT
 public:
  BrokenName(const Theme* theme, const QString& name, QWidget* parent = nullptr);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void breakLines();

  const Theme* m_theme;
  QString m_name;
};

/// Lines of `name`, none wider than `width`: a part that alone is wider is cut in the middle; after `most`
/// lines "and 48 more parts".
QStringList brokenToWidth(const QString& name, const QFont& font, int width, int most);

}  // namespace opscope::ui
