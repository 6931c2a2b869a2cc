// SPDX-License-Identifier: GPL-3.0-or-later
// The Timeline with ten million calls in one repeat: what it takes to build, memory of the process, and each
// frame from the key or wheel event to the painted view, at every zoom. Printed, offscreen.
#include <QElapsedTimer>
#include <QFile>
#include <QtTest>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <random>

#include "ui/shell/application.h"
#include "ui/views/timeline/timeline_view.h"

namespace opscope::ui {
namespace {

constexpr std::uint32_t kCalls = 10'000'000;
constexpr double kFrameMs = 16;

/// Functions of about fifty calls each, two of three of which are kernels; a kernel takes from 0.2 to 90 us.
report::Document manyCalls() {
  auto run = std::make_shared<report::Run>();
  run->function = "main";
  run->repeats = run->repeatsWanted = 1;
  run->devices = {"cpu0"};
  run->steps = {"main"};
  for (int i = 0; i < 60; ++i)
    run->names.push_back((i % 3 == 0 ? "fused_conv2d_add_relu" : "relu") + std::to_string(i));
  run->names.push_back("block");
  run->shapes = {"float32[1, 16]"};
  run->calls.reserve(kCalls);
  run->ownNs.reserve(kCalls);
  run->spans.reserve(kCalls);
  std::mt19937 random(2);
  double now = 0;
  while (run->calls.size() < kCalls) {
    const auto block = run->calls.size();
    const auto children = std::min<std::size_t>(50, kCalls - block - 1);
    for (std::size_t i = 0; i <= children; ++i) {
      report::Call call;
      call.name = i == 0 ? 60 : random() % 60;
      call.depth = i == 0 ? 0 : 1;
      call.shapes = call.device = 0;
      call.kernel = i > 0 && random() % 3 != 0;
      call.firstSample = run->ownNs.size();
      call.sampleCount = 1;
      const double ns = i == 0 ? 0 : 200 + random() % (random() % 50 == 0 ? 90000 : 900);
      run->spans.push_back({now, ns, std::uint32_t(run->calls.size()), 0});
      run->calls.push_back(call);
      run->ownNs.push_back(ns);
      now += ns + 60;
    }
    run->spans[block].durationNs = now - run->spans[block].startNs;
  }
  run->inclusiveNs = run->ownNs;
  run->sampleRepeat.assign(run->ownNs.size(), 0);
  run->totals.push_back({"cpu0", {now}});
  report::Document document;
  document.run = run;
  return document;
}

double mebibytesOf(const char* key) {
  QFile status(QStringLiteral("/proc/self/status"));
  if (!status.open(QIODevice::ReadOnly)) return 0;
  for (const QByteArray& line : status.readAll().split('\n')) {
    if (line.startsWith(key))
      return line.mid(int(qstrlen(key)) + 1).trimmed().split(' ').front().toDouble() / 1024;
  }
  return 0;
}

double processorMs() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) * 1e3 + double(time.tv_nsec) * 1e-6;
}

/// Frames of one kind of motion. It counts what is painted, so that a frame that is not painted is no frame.
class Frames : public QObject {
 public:
  explicit Frames(TimelineView& view) : m_view(view) { view.viewport()->installEventFilter(this); }
  bool eventFilter(QObject*, QEvent* event) override {
    m_painted += event->type() == QEvent::Paint ? 1 : 0;
    return false;
  }
  template <class Motion>
  void add(Motion motion) {
    QElapsedTimer clock;
    clock.start();
    const double cpu = processorMs();
    motion();
    m_view.viewport()->repaint();
    m_cpuMs.push_back(processorMs() - cpu);
    m_ms.push_back(double(clock.nsecsElapsed()) * 1e-6);
    if (++m_frames != m_painted) qFatal("%d frames, but %d were painted", m_frames, m_painted);
  }
  void print(const char* what) {
    std::printf("%-30s %4d frames\n", what, int(m_ms.size()));
    line("clock", m_ms);
    line("processor", m_cpuMs);
  }

 private:
  TimelineView& m_view;
  static void line(const char* of, std::vector<double>& ms) {
    std::sort(ms.begin(), ms.end());
    const auto above = ms.end() - std::upper_bound(ms.begin(), ms.end(), kFrameMs);
    std::printf("  %-10s median %6.2f ms, 99 %% %6.2f ms, longest %6.2f ms, above %.0f ms: %d\n", of,
                ms[ms.size() / 2], ms[ms.size() * 99 / 100], ms.back(), kFrameMs, int(above));
    ms.clear();
  }

  std::vector<double> m_ms;
  std::vector<double> m_cpuMs;  ///< of this thread alone: other work on the machine does not count
  int m_frames = 0;
  int m_painted = 0;
};

}  // namespace

class TimelineBench : public QObject {
  Q_OBJECT

 private:
  std::shared_ptr<const Timeline> m_timeline;

 private Q_SLOTS:
  void initTestCase() {
    const double before = mebibytesOf("VmRSS:");
    QElapsedTimer clock;
    auto view = std::make_shared<RunView>();
    view->document = manyCalls();
    const double run = mebibytesOf("VmRSS:");
    clock.start();
    const auto ops = buildTimelineOps(view->run(), {});
    m_timeline = std::make_shared<Timeline>(view, ops, 0);
    std::printf("10 million calls: timeline built in %lld ms\n", static_cast<long long>(clock.elapsed()));
    std::printf(
        "memory: program %.0f MiB, run %.0f MiB, timeline %.0f MiB (%.1f bytes a call), at most %.0f MiB\n",
        before, run - before, mebibytesOf("VmRSS:") - run, double(m_timeline->bytes()) / kCalls,
        mebibytesOf("VmHWM:"));
  }

  void frames_data() {
    QTest::addColumn<QSize>("size");
    QTest::newRow("1440x900") << QSize(1440, 760);
    QTest::newRow("2560x1440") << QSize(2560, 1300);
  }

  void frames() {
    QFETCH(QSize, size);
    Theme look;
    dressApplication(&look, ThemeChoice::Light);
    Selection selection;
    TimelineView view(&look, &selection);
    view.setAnimated(false);
    view.resize(size);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    view.setTimeline(m_timeline);
    Frames frames(view);
    frames.add([]() {});
    frames.print("first frame");
    for (const bool searching : {false, true}) {
      selection.setOp(searching ? m_timeline->ops().ops[3] : OpId{});
      selection.setFilter({searching ? QStringLiteral("conv2d") : QString(), false});
      view.fitAll();
      zoom(view, frames);
      frames.print(searching ? "wheel, op chosen, searching" : "wheel");
      pan(view, frames);
      frames.print(searching ? "pan, op chosen, searching" : "pan");
    }
    selection.setFilter({});
    hover(view, frames);
    frames.print("mouse over lanes");
  }

 private:
  /// In at the cursor down to a few calls and out again.
  void zoom(TimelineView& view, Frames& frames) {
    for (const int direction : {1, -1}) {
      for (int i = 0; i < 80; ++i) {
        frames.add([&]() {
          const QPointF point(view.width() * 0.61, 200);
          QWheelEvent wheel(point, view.viewport()->mapToGlobal(point), {}, {0, 120 * direction},
                            Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
          QCoreApplication::sendEvent(view.viewport(), &wheel);
        });
      }
    }
  }

  void pan(TimelineView& view, Frames& frames) {
    const double total = m_timeline->totalNs();
    for (double length = total / 2; length > 2000; length /= 3) {
      view.showTimes(total * 0.2, total * 0.2 + length, 0);
      for (int i = 0; i < 12; ++i)
        frames.add([&]() { QTest::sendKeyEvent(QTest::Click, &view, Qt::Key_D, QString(), {}); });
      for (int i = 0; i < 6; ++i)
        frames.add([&]() { QTest::sendKeyEvent(QTest::Click, &view, Qt::Key_A, QString(), {}); });
    }
  }

  void hover(TimelineView& view, Frames& frames) {
    view.fitAll();
    QWidget* area = view.viewport();
    for (int x = 160; x < view.width(); x += 17) {
      frames.add([&]() {
        const QPoint point(x, 150 + x % 90);
        QMouseEvent move(QEvent::MouseMove, point, area->mapToGlobal(point), Qt::NoButton, Qt::NoButton, {});
        QCoreApplication::sendEvent(area, &move);
      });
    }
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::TimelineBench)
#include "timeline_bench.moc"
