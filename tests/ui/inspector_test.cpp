// SPDX-License-Identifier: GPL-3.0-or-later
// The Inspector: the statistics of an op, a group of ops, names that are too long.
#include <QtTest>
#include <cmath>
#include <numeric>

#include "tests/ui/support/ops_stage.h"
#include "ui/models/format.h"
#include "ui/views/inspector.h"
#include "ui/views/ops_page.h"
#include "ui/views/widgets/broken_name.h"

namespace opscope::ui {

using testing::showOps;
using testing::Stage;

namespace {

/// Worked out here once more, by the definitions. `samples` ascend.
std::vector<std::pair<const char*, QString>> statisticsOf(const std::vector<double>& samples) {
  const double n = double(samples.size());
  const double mean = std::accumulate(samples.begin(), samples.end(), 0.0) / n;
  double squares = 0;
  for (const double sample : samples) squares += (sample - mean) * (sample - mean);
  const auto percentile = [&](double part) {
    const double place = part * (n - 1);
    const auto low = std::size_t(place);
    const double next = samples[std::min(low + 1, samples.size() - 1)];
    return samples[low] + (place - double(low)) * (next - samples[low]);
  };
  std::vector<double> away;
  for (const double sample : samples) away.push_back(std::abs(sample - percentile(0.5)));
  std::sort(away.begin(), away.end());
  const double mad = (away[away.size() / 2] + away[(away.size() - 1) / 2]) / 2;
  return {{"Mean", format::microseconds(mean)},
          {"Median", format::microseconds(percentile(0.5))},
          {"Min", format::microseconds(samples.front())},
          {"Max", format::microseconds(samples.back())},
          {"p5", format::microseconds(percentile(0.05))},
          {"p95", format::microseconds(percentile(0.95))},
          {"p99", format::microseconds(percentile(0.99))},
          {"Std dev.", format::microseconds(std::sqrt(squares / (n - 1)))},
          {"MAD", format::microseconds(mad)},
          {"n", format::integer(qint64(n))}};
}

}  // namespace

class InspectorTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aCoarseRowIsTheGroupInTheInspector() {
    Stage stage;
    OpsPage* page = showOps(stage);
    auto* inspector = stage.window->findChild<Inspector*>();
    const auto told = [inspector](const QString& words) {
      const auto texts = inspector->findChildren<Text*>();
      return std::ranges::any_of(texts, [&](const Text* text) { return text->text() == words; });
    };
    page->setGrouping(QStringLiteral("kind"));
    const QModelIndex first = page->model()->index(0, 0);
    QTest::mouseClick(page->table()->viewport(), Qt::LeftButton, {},
                      page->table()->visualRect(first).center());
    const report::OpRow row = page->model()->opRow(0);
    QVERIFY(row.count > 1);
    QTRY_VERIFY(told(first.data().toString()));
    QVERIFY(told(QStringLiteral("Ops by time")));
    QVERIFY(told(format::duration(row.durationUs).number));
    // Its ops lead to themselves, the longest first.
    LinkButton* member = nullptr;
    for (LinkButton* link : inspector->findChildren<LinkButton*>()) {
      if (member == nullptr && link->accessibleName().contains(QStringLiteral("µs"))) member = link;
    }
    QVERIFY(member != nullptr);
    QTest::mouseClick(member, Qt::LeftButton);
    QTRY_VERIFY(!told(QStringLiteral("Ops by time")));
    QVERIFY(told(QStringLiteral("Where it is called")));
    QCOMPARE(stage.workspace->selection()->op(), page->model()->opAt(0));
    // The filter and another grouping say what is left of a group.
    const QModelIndex second = page->model()->index(1, 0);
    QTest::mouseClick(page->table()->viewport(), Qt::LeftButton, {},
                      page->table()->visualRect(second).center());
    page->setGrouping(QStringLiteral("op"));
    QTRY_VERIFY(!told(QStringLiteral("Ops by time")));
  }

  void aLongNameIsBrokenByItsWidth() {
    const Stage stage;
    const QFont font = stage.theme.font(13, QFont::DemiBold);
    const QFontMetrics metrics(font);
    const QString name = QStringLiteral("fused_conv2d_add_relu_reshape_transpose_") +
                         QString(60, QLatin1Char('w')) + QStringLiteral("_add1_add2");
    const QStringList lines = brokenToWidth(name, font, 200, 6);
    QVERIFY(lines.size() > 2);
    for (const QString& line : lines) QVERIFY(metrics.horizontalAdvance(line) <= 200);
    QVERIFY(lines.join(QString()).contains(QChar(0x2026)));
    QStringList many(100, QStringLiteral("concatenate"));
    const QStringList cut = brokenToWidth(many.join(QLatin1Char('_')), font, 200, 6);
    QCOMPARE(cut.size(), 7);
    QVERIFY(cut.back().startsWith(QStringLiteral("and ")));
  }

  void theInspectorTellsTheStatistics() {
    Stage stage;
    OpsPage* page = showOps(stage);
    page->table()->setCurrentIndex(page->model()->index(0, 0));
    auto* inspector = stage.window->findChild<Inspector*>();
    const OpsModel& model = *page->model();
    const report::Run& run = *model.opsData()->document.run;
    std::vector<double> samples(run.repeats, 0.0);
    for (const std::uint32_t call : model.opsData()->table.callsOf(model.opRow(0))) {
      const report::Call& about = run.calls[call];
      for (std::uint32_t i = 0; i < about.sampleCount; ++i)
        samples[run.sampleRepeat[about.firstSample + i]] += run.ownNs[about.firstSample + i] / 1000;
    }
    std::sort(samples.begin(), samples.end());
    QCoreApplication::processEvents();
    for (const auto& [name, value] : statisticsOf(samples)) {
      const QString words = QString::fromUtf8(name) + QLatin1String(": ") + value;
      bool told = false;
      QStringList others;
      for (const Text* text : inspector->findChildren<Text*>()) {
        told = told || (text->isVisible() && text->accessibleName() == words);
        if (!text->accessibleName().isEmpty()) others << text->accessibleName();
      }
      QVERIFY2(told, qPrintable(words + QLatin1String(" not in ") + others.join(QLatin1String("; "))));
    }
    // The interval of the median by order statistics: of 30 samples the 10th and the 21st.
    const QString interval =
        format::microseconds(samples[9]) + QStringLiteral(" – ") + format::microseconds(samples[20]);
    bool told = false, outliers = false, arguments = false;
    for (const Text* text : inspector->findChildren<Text*>()) {
      told = told || text->text() == interval;
      outliers = outliers || text->text().contains(QStringLiteral("far out"));
    }
    const QString shapes = format::fromUtf8(report::shapesOf(run, model.opRow(0)));
    for (const ElidedText* text : inspector->findChildren<ElidedText*>())
      arguments = arguments || text->text() == argumentsOf(shapes).front().text;
    QVERIFY2(told, qPrintable(interval));
    QVERIFY(outliers);
    QVERIFY(arguments);
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::InspectorTest)
#include "inspector_test.moc"
