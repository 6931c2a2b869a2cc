// SPDX-License-Identifier: GPL-3.0-or-later
// From a signature to a form to the plan of a request.
#include <QtTest>

#include "tests/ui/support/synthetic_run.h"
#include "ui/models/input_form.h"

namespace opscope::ui {

class InputFormTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void fillsFromTheSignature() {
    InputForm form;
    form.setFunction(testing::syntheticExecutable()->functions[0]);
    QCOMPARE(form.fields().size(), std::size_t(1));
    QCOMPARE(form.dimensions().size(), std::size_t(1));
    QCOMPARE(form.dimensions()[0].usedBy, QStringList{QStringLiteral("x")});
    form.setDimension(0, 8);
    QCOMPARE(form.resolvedType(form.fields()[0].parameter), QStringLiteral("float32 [8, 3, 224, 224]"));
    QCOMPARE(form.resolvedBytes(form.fields()[0].parameter), 8.0 * 3 * 224 * 224 * 4);
    QVERIFY(form.isValid());
  }

  void makesThePlan() {
    InputForm form;
    form.setFunction(testing::syntheticExecutable()->functions[0]);
    form.setDimension(0, 4);
    form.setSeed(0, 42);
    QCOMPARE(form.plan().values.at("x"), std::string("random:42"));
    QCOMPARE(form.plan().dimensions.at("n"), std::int64_t(4));
    form.setSource(0, InputSource::Constant);
    form.setConstant(0, QStringLiteral("3.5"));
    QCOMPARE(form.plan().values.at("x"), std::string("const:3.5"));
    form.setSource(0, InputSource::File);
    QVERIFY(!form.isValid());
    form.setFile(0, QStringLiteral("all.npz"), QStringLiteral("in/x"));
    QCOMPARE(form.plan().values.at("x"), std::string("@all.npz:in/x"));
    form.reset();
    QCOMPARE(form.plan().values.at("x"), std::string("random:0"));
  }

  void tellsWhatIsWrongAtTheField() {
    InputForm form;
    form.setFunction(testing::syntheticExecutable()->functions[0]);
    QSignalSpy changed(&form, &InputForm::changed);
    form.setSource(0, InputSource::Constant);
    form.setConstant(0, QStringLiteral("many"));
    QVERIFY(!form.isValid());
    QVERIFY(!form.fields()[0].problem.isEmpty());
    QVERIFY(!form.firstProblem().isEmpty());
    QVERIFY(changed.count() >= 2);
    form.setConstant(0, QStringLiteral("2"));
    QVERIFY2(form.isValid(), qPrintable(form.firstProblem()));
    QVERIFY(form.markProblem(
        QStringLiteral("x"),
        {base::ErrorCode::InvalidArgument, "input x needs float32 [1, 3, 224, 224]", {}, {}}));
    QCOMPARE(form.problemCount(), 1);
    QVERIFY(!form.markProblem(QStringLiteral("y"),
                              {base::ErrorCode::InvalidArgument, "nothing of ours", {}, {}}));
  }

  void aRangeThatCannotBeIsToldBeforeTheRun() {
    session::FunctionInfo function = testing::syntheticExecutable()->functions[0];
    InputForm form;
    form.setFunction(function);
    form.setSource(0, InputSource::RandomRange);
    QVERIFY(form.isValid());
    QCOMPARE(form.plan().values.at("x"), std::string("random:0:0:1"));
    form.setRange(0, QStringLiteral("2"), QStringLiteral("1"));
    QCOMPARE(form.fields()[0].problem, QStringLiteral("“From” (2) is more than “to” (1)."));
    QVERIFY(!form.isWorthARun());
    form.setRange(0, QStringLiteral("low"), QStringLiteral("1"));
    QCOMPARE(form.fields()[0].problem, QStringLiteral("“From” needs a number. It is “low”."));
    form.setRange(0, QStringLiteral("0"), QString());
    QCOMPARE(form.fields()[0].problem, QStringLiteral("“To” needs a number. It is “”."));
    form.setRange(0, QStringLiteral(" -3 "), QStringLiteral("1e3"));
    QVERIFY2(form.isValid(), qPrintable(form.firstProblem()));
    // Whole numbers take no fractions, and none that they cannot hold.
    function.signature.parameters[0].type = {0, 8, 1};
    InputForm whole;
    whole.setFunction(function);
    whole.setSource(0, InputSource::RandomRange);
    whole.setRange(0, QStringLiteral("0.5"), QStringLiteral("2"));
    QVERIFY2(whole.fields()[0].problem.contains(QStringLiteral("int8 holds whole numbers")),
             qPrintable(whole.fields()[0].problem));
    whole.setRange(0, QStringLiteral("-300"), QStringLiteral("2"));
    QVERIFY(!whole.isValid());
    whole.setRange(0, QStringLiteral("-128"), QStringLiteral("127"));
    QVERIFY2(whole.isValid(), qPrintable(whole.firstProblem()));
    InputForm other;
    other.setFunction(function);
    other.restore(whole.save());
    QCOMPARE(other.plan().values, whole.plan().values);
  }

  void choicesAreKept() {
    InputForm form;
    form.setFunction(testing::syntheticExecutable()->functions[0]);
    form.setDimension(0, 16);
    form.setSource(0, InputSource::Random);
    form.setSeed(0, 18446744073709551615ULL);
    const QJsonObject saved = form.save();
    InputForm other;
    other.setFunction(testing::syntheticExecutable()->functions[0]);
    other.restore(saved);
    QCOMPARE(other.plan().values, form.plan().values);
    QCOMPARE(other.plan().dimensions, form.plan().dimensions);
  }

  void takesTheCommandLinesWords() {
    InputForm form;
    form.setFunction(testing::syntheticExecutable()->functions[0]);
    session::InputPlan plan;
    plan.dimensions["n"] = 3;
    plan.values["0"] = "zeros";
    form.apply(plan);
    QCOMPARE(form.fields()[0].source, InputSource::Zeros);
    QCOMPARE(form.dimensions()[0].value, qint64(3));
    plan.values = {{"x", "random:7:-0.5:255"}};
    form.apply(plan);
    QCOMPARE(form.fields()[0].source, InputSource::RandomRange);
    QCOMPARE(form.fields()[0].seed, quint64(7));
    QCOMPARE(form.fields()[0].low, QStringLiteral("-0.5"));
    QCOMPARE(form.plan().values.at("x"), std::string("random:7:-0.5:255"));
    plan.values = {{"0", "random:7:2:-1"}};
    form.apply(plan);
    QCOMPARE(form.fields()[0].problem, QStringLiteral("“From” (2) is more than “to” (-1)."));
    plan.values = {{"0", "3x3x224x224:float32:ones"}};
    form.apply(plan);
    QCOMPARE(form.plan().values.size(), std::size_t(1));
    QVERIFY2(form.isValid(), qPrintable(form.firstProblem()));
    plan.values = {{"x", "3x3x224x224:float32:random:7:0:255"}};
    form.apply(plan);
    QCOMPARE(form.plan().values.at("x"), std::string("3x3x224x224:float32:random:7:0:255"));
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::InputFormTest)
#include "input_form_test.moc"
