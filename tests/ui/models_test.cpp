// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>
class Placeholder : public QObject {
  Q_OBJECT
};
QTEST_MAIN(Placeholder)
#include "models_test.moc"
