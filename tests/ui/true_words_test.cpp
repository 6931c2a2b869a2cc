// SPDX-License-Identifier: GPL-3.0-or-later
// Words that must be true and whole: of a fleet, of a run that failed, of lists that have no room.
#include <QLineEdit>
#include <QListWidget>
#include <QtTest>

#include "engine/report/run_report.h"
#include "tests/ui/support/window_stage.h"
#include "ui/models/executable_tree_model.h"
#include "ui/models/format.h"
#include "ui/models/ops_model.h"
#include "ui/models/window_words.h"
#include "ui/shell/command_palette.h"
#include "ui/shell/page_texts.h"
#include "ui/shell/status_line.h"
#include "ui/views/boards/fleet_dialog.h"
#include "ui/views/code_page.h"
#include "ui/views/summary_page.h"
#include "ui/views/widgets/fitting_hint.h"

namespace opscope::ui {

using testing::openExecutable;
using testing::Stage;

class TrueWordsTest : public QObject {
  Q_OBJECT

 private:
  static bool shows(const QWidget* widget, const QString& text) {
    for (const QLabel* label : widget->findChildren<QLabel*>()) {
      if (label->text().replace(QChar(0x00A0), QLatin1Char(' ')).contains(text)) return true;
    }
    return false;
  }
  static report::Document part(std::uint32_t repeats) {
    testing::SyntheticOptions options;
    options.repeats = repeats;
    return testing::syntheticDocument(options);
  }
  static void fail(Stage& stage, const report::Document& partial) {
    openExecutable(stage);
    stage.workspace->profile();
    stage.session.post(session::RequestFailed{
        {base::ErrorCode::KernelFailed, "conv raised an error", "why", ""}, partial, {}});
    QTRY_VERIFY(stage.workspace->failure().has_value());
  }

 private Q_SLOTS:
  void aFleetTellsOnlyBoardsThatMeasuredAll() {
    Theme theme;
    FleetModel fleet;
    FleetDialog dialog(&theme, &fleet);
    dialog.begin(QStringLiteral("main"), QStringLiteral("pi4"));
    fleet.start(4);
    const base::Error lost{base::ErrorCode::ConnectionLost, "the board no longer answers", "", ""};
    fleet.add({"10.0.0.1:9090", part(30), std::nullopt});
    fleet.add({"10.0.0.2:9090", {}, lost});
    dialog.refresh(true);
    QVERIFY(shows(&dialog, QStringLiteral("Measuring main: 2 of 4 boards done")));
    fleet.add({"10.0.0.3:9090", part(7), lost});
    fleet.add({"10.0.0.4:9090", part(30), std::nullopt});
    dialog.refresh(false);
    QVERIFY(shows(&dialog, QStringLiteral("main measured on 2 of 4 boards, on 1 more in part")));
    const auto isProblem = [&](int row) {
      return fleet.index(row, FleetModel::State).data(ProblemRole).toBool();
    };
    QVERIFY(!isProblem(0) && isProblem(1) && isProblem(2) && !isProblem(3));
    fleet.start(1);
    fleet.add({"10.0.0.1:9090", part(30), std::nullopt});
    dialog.refresh(false);
    QVERIFY(shows(&dialog, QStringLiteral("main measured on 1 board")));
  }

  void aFailedRunTellsWhatIsKept() {
    Stage kept;
    fail(kept, part(7));
    QVERIFY(shows(kept.window->findChild<StatusLine*>(), QStringLiteral("7 finished repeats kept")));
    Stage nothing;
    fail(nothing, {});
    QVERIFY(shows(nothing.window->findChild<StatusLine*>(), QStringLiteral("No repeat was finished")));
    const ErrorText text = errorText(*nothing.workspace->failure(), *nothing.workspace);
    QCOMPARE(text.where.back().name, QStringLiteral("Kind of error"));
    QCOMPARE(text.where.back().value, QStringLiteral("A kernel failed"));
  }

  void everyKindOfErrorHasWordsOfItsOwn() {
    QStringList all;
    for (int code = 0; code <= int(base::ErrorCode::Internal); ++code)
      all << kindWords(base::ErrorCode(code));
    QCOMPARE(all.removeDuplicates(), 0);
    for (const QString& words : all)
      QVERIFY2(words.contains(QLatin1Char(' ')) || words == QLatin1String("Stopped"), qPrintable(words));
  }

  void thePaletteBeginsWithWhatCanBeDone() {
    Stage stage;
    stage.command("help.palette")->trigger();
    auto* palette = stage.window->findChild<CommandPalette*>();
    QVERIFY(palette != nullptr);
    const auto* list = palette->findChild<QListWidget*>();
    const auto enabled = [&](int row) {
      const QString title = list->item(row)->text().section(QStringLiteral(": "), 1);
      for (const Command* command : stage.window->commands()) {
        if (command->text() == title) return command->isEnabled();
      }
      return false;
    };
    QVERIFY(enabled(0));
    QVERIFY(!enabled(list->count() - 1));
    palette->findChild<QLineEdit*>()->setText(QStringLiteral("open"));
    QVERIFY(enabled(0));
    palette->close();
  }

  void opsOfOneNameAreToldApartWhereShapesHaveNoColumn() {
    auto run = std::make_shared<report::Run>(*testing::syntheticDocument().run);
    run->names[1] = run->names[0];  // other shapes, one name
    for (report::Call& call : run->calls) {
      if (call.name == 1) call.name = 0;
    }
    Background background;
    OpsModel model(&background);
    model.setRowLimit(10);
    model.setDocument(report::makeDocument(run));
    const int column = model.columnOf(OpsColumn::Kind::Name);
    QStringList names, plain;
    for (int row = 0; row < model.rowCount(); ++row) {
      names << model.index(row, column).data().toString();
      plain << model.index(row, column).data(PlainTextRole).toString();
    }
    QCOMPARE(names.filter(QStringLiteral("conv2d  float32[1, ")).size(), 2);
    QCOMPARE(QStringList(names).removeDuplicates(), 0);
    QCOMPARE(plain.count(QStringLiteral("conv2d")), 2);  // what is copied is the name alone
    OpsModel all(&background);
    all.setDocument(report::makeDocument(run));
    QCOMPARE(all.index(0, column).data().toString(), QStringLiteral("conv2d"));
  }

  void aListWithoutRoomLosesWholeParts() {
    Theme theme;
    ElidedText text(&theme, 12, &Colours::text, QFont::Normal, Qt::ElideRight);
    text.setParts(QStringLiteral(" · "));
    text.setText(QStringLiteral("57 groups · 216 calls · ops sum 14 950.4 µs"));
    const QFontMetrics metrics(theme.font(12));
    text.resize(metrics.horizontalAdvance(QStringLiteral("57 groups · 216 calls · ops sum 14")), 20);
    QCOMPARE(text.shownText(), QStringLiteral("57 groups · 216 calls · …"));
    text.resize(metrics.horizontalAdvance(text.text()) + 4, 20);
    QCOMPARE(text.shownText(), text.text());
    text.resize(metrics.horizontalAdvance(QStringLiteral("57")), 20);
    QCOMPARE(text.shownText(), QStringLiteral("…"));
  }

  void aReportSaysWhatItHasNot() {
    Theme theme;
    Selection selection;
    Background background;
    CodePage code(PageContext{&theme, &selection, &background});
    code.show();
    QTRY_VERIFY(shows(&code, QStringLiteral("Nothing is open")));
    auto run = std::make_shared<report::Run>(*testing::syntheticDocument().run);
    run->executableHash.clear();
    code.setRun(makeRunView(report::makeDocument(run)));
    QVERIFY(shows(&code, QStringLiteral("A report holds no code")));
    code.setRun(nullptr);
    QVERIFY(shows(&code, QStringLiteral("Nothing is open")));
    SummaryResult summary(PageContext{&theme, &selection, &background});
    const auto words = [&]() {
      QStringList all;
      for (const ElidedText* text : summary.findChildren<ElidedText*>()) all << text->text();
      return all;
    };
    summary.setRun(makeRunView(testing::syntheticDocument()));
    QVERIFY(!words().contains(QStringLiteral("this report lists no calls")));
    run->calls.clear();
    run->spans.clear();
    summary.setRun(makeRunView(report::makeDocument(run)));
    QVERIFY(words().contains(QStringLiteral("this report lists no calls")));
  }

  void aHintFitsItsField() {
    QLineEdit field;
    new FittingHint(&field, QStringLiteral("Filter by name, shape or device"), QStringLiteral("Filter ops"));
    field.show();
    field.resize(600, 30);
    QCOMPARE(field.placeholderText(), QStringLiteral("Filter by name, shape or device"));
    field.resize(120, 30);
    QCOMPARE(field.placeholderText(), QStringLiteral("Filter ops"));
  }

  void kernelsTellTheirTimesInOneUnit() {
    ExecutableTreeModel tree(ExecutableTreeModel::Part::Rest);
    tree.setExecutable(testing::syntheticExecutable());
    tree.setRun(makeRunView(testing::syntheticDocument()));
    int told = 0;
    const auto look = [&](const auto& self, const QModelIndex& parent) -> void {
      for (int row = 0; row < tree.rowCount(parent); ++row) {
        const QModelIndex index = tree.index(row, 0, parent);
        const QString value = index.data(RightTextRole).toString();
        const bool kernel = index.data(NodeKindRole).toInt() == int(ExecutableTreeModel::NodeKind::Kernel);
        if (kernel && !value.isEmpty()) {
          QVERIFY2(value.endsWith(QStringLiteral("\u00A0µs")), qPrintable(value));
          ++told;
        }
        self(self, index);
      }
    };
    look(look, {});
    QVERIFY(told > 8);
  }

  void theReadyPageTellsWhatMayDisturb() {
    Stage stage;
    openExecutable(stage);
    QTRY_VERIFY(stage.workspace->computer().cores > 0);
    ReadyText text = readyText(*stage.workspace, *stage.workspace->form());
    QVERIFY(stage.workspace->computer().load.has_value());
    const auto load = std::ranges::find_if(text.computerNotes, [](const NoteList::Note& note) {
      return note.title.startsWith(QLatin1String("Load "));
    });
    QVERIFY(load != text.computerNotes.end());
    const double part = *stage.workspace->computer().load / stage.workspace->computer().cores;
    QCOMPARE(QString::fromLatin1(load->icon), part < 0.2 ? QStringLiteral("ok") : QStringLiteral("warning"));
    const bool told = !stage.workspace->computer().governor.empty();
    QCOMPARE(text.computerNotes.size(), std::size_t(told ? 2 : 1));
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::TrueWordsTest)
#include "true_words_test.moc"
