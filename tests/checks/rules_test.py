# SPDX-License-Identifier: Apache-2.0
"""Feeds each rule files that break it, and files that do not."""

import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import layers  # noqa: E402  (after the path is set)
import layers_table  # noqa: E402
import layout  # noqa: E402
import licences  # noqa: E402
import named_tests  # noqa: E402
import run_check  # noqa: E402
import sizes  # noqa: E402
import words  # noqa: E402


class Project(unittest.TestCase):
    """A project in a temporary folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def assert_problem(self, rule, *parts):
        """Exactly one problem, and it names all `parts`."""
        problems = rule.check(self.root)
        self.assertEqual(len(problems), 1, problems)
        for part in parts:
            self.assertIn(part, problems[0])

    def assert_none(self, rule):
        self.assertEqual(rule.check(self.root), [])


class NamedTestsTest(Project):
    def test_names_that_there_are_pass(self):
        self.write("tests/rpc/a_test.cpp", "TEST_F(Suite, DoesIt) {\n}\nTEST(Other,\n     Too) {}\n")
        self.write("tests/server/b_test.py", "class A:\n    def test_it(self):\n        pass\n")
        self.write("docs/page.md", "| row | `Suite.DoesIt`, `program: Other.Too`, `b_test: test_it`; `Session.h`, `rpc.Connect` |\n")
        self.assert_none(named_tests)

    def test_names_that_are_gone_are_told(self):
        self.write("tests/rpc/a_test.cpp", "TEST_F(Suite, DoesIt) {\n}\n")
        self.write("docs/page.md", "`Suite.DoesIt`\n`Suite.DoesThat`\n")
        self.assert_problem(named_tests, "docs/page.md:2", "Suite.DoesThat")
        self.write("docs/page.md", "`test_gone`\n")
        self.assert_problem(named_tests, "docs/page.md:1", "test_gone")


class LayersTest(Project):
    def setUp(self):
        super().setUp()
        self.write("engine/base/result.h", "#include <string>\n")
        self.write("engine/report/run.h", '#include "engine/base/result.h"\n')
        self.write("engine/vm/executable.h", '#include "engine/base/result.h"\n')
        self.write("engine/vm/machine.h", "#include <tvm/ffi/any.h>\n")
        self.write("engine/session/session.h", '#include "engine/vm/executable.h"\n#include "engine/report/run.h"\n')
        self.write("ui/bridge/door.h", '#include <QObject>\n#include "engine/session/session.h"\n')

    def test_allowed_includes_pass(self):
        self.write("ui/views/page.cpp", '#include <QWidget>\n#include <qcustomplot.h>\n#include "ui/bridge/door.h"\n'
                                        '#include "page.moc"\n#include "opscope/version.h"\n')
        self.write("engine/profile/profiler.cpp", '#include "engine/vm/machine.h"\n#include "engine/base/result.h"\n')
        self.write("tests/vm/machine_test.cpp", '#include <gtest/gtest.h>\n#include "engine/vm/machine.h"\n')
        self.assert_none(layers)

    def test_include_against_the_table(self):
        self.write("engine/report/bad.cpp", '\n#include "engine/vm/executable.h"\n')
        self.assert_problem(layers, "engine/report/bad.cpp:2", "may not include engine/vm/executable.h", "engine/base")

    def test_ui_sees_no_engine_below_session(self):
        self.write("ui/models/bad.h", '#include "engine/vm/executable.h"\n')
        self.assert_problem(layers, "ui/models/bad.h:1", "engine/vm")

    def test_lower_ui_does_not_see_higher(self):
        self.write("ui/views/page.h", "")
        self.write("ui/models/bad.h", '#include "ui/views/page.h"\n')
        self.assert_problem(layers, "ui/models may not include ui/views/page.h")

    def test_engine_sees_no_qt(self):
        for name in ("QString", "QtCore/QString", "qglobal.h"):
            with self.subTest(name):
                self.write("engine/report/bad.cpp", f"#include <{name}>\n")
                self.assertIn("Qt's", layers.check(self.root)[0])

    def test_base_sees_no_tvm_ffi(self):
        self.write("engine/base/bad.cpp", "#include <dlpack/dlpack.h>\n")
        self.assertIn("engine/base/bad.cpp:1: tvm-ffi's <dlpack/dlpack.h>", layers.check(self.root)[0])

    def test_window_reaches_no_tvm_ffi_through_headers(self):
        self.write("engine/session/session.h", '#include "engine/vm/machine.h"\n')
        problems = layers.check(self.root)
        self.assertTrue(any("brings Qt and tvm-ffi together" in problem for problem in problems), problems)
        self.assertTrue(any("ui/bridge/door.h -> engine/session/session.h -> engine/vm/machine.h -> <tvm/ffi/any.h>"
                            in problem for problem in problems), problems)

    def test_qt_and_tvm_ffi_in_one_test(self):
        self.write("tests/ui/bad.cpp", "#include <QObject>\n#include <tvm/ffi/any.h>\n")
        self.assert_problem(layers, "tests/ui/bad.cpp", "brings Qt and tvm-ffi together")

    def test_circle(self):
        self.write("engine/base/a.h", '#include "engine/base/b.h"\n')
        self.write("engine/base/b.h", '#include "engine/base/a.h"\n')
        self.assertTrue(any("in a circle" in problem for problem in layers.check(self.root)))

    def test_unknown_module(self):
        self.write("engine/extras/a.h", "")
        self.assert_problem(layers, "engine/extras/a.h", "no module")

    def test_include_must_be_written_from_the_root(self):
        self.write("engine/base/bad.cpp", '#include "result.h"\n')
        self.assert_problem(layers, 'write "engine/base/result.h"')

    def test_include_of_a_missing_file(self):
        self.write("engine/base/bad.cpp", "#include <engine/base/none.h>\n")
        self.assert_problem(layers, "engine/base/none.h is not in the project")

    def test_includes_in_comments_do_not_count(self):
        self.write("engine/base/good.cpp", '// #include <QString>\n/*\n#include <QString>\n*/\n')
        self.assert_none(layers)

    def test_no_exceptions(self):
        self.assertEqual(layers_table.EXCEPTIONS, [])


class SizesTest(Project):
    def test_long_file(self):
        self.write("engine/base/long.cpp", "int x;\n" * 501)
        self.assert_problem(sizes, "engine/base/long.cpp", "501 lines")

    def test_file_at_the_limit(self):
        self.write("engine/base/full.cpp", "int x;\n" * 500)
        self.assert_none(sizes)

    def test_long_function(self):
        self.write("engine/base/a.cpp", "namespace a {\n\nint\nlong_one(int x) {\n" + "  ++x;\n" * 58 + "}\n}\n")
        self.assert_problem(sizes, "engine/base/a.cpp:3", "long_one has 61 lines")

    def test_long_functions_of_other_forms(self):
        body = "{\n" + "  if (x) { f(); }\n" * 60 + "}"
        for head in ("A::A(int x) : m_a(x), m_b{x, {1}} ", "auto f(int x) -> std::vector<int> ",
                     "template <class T = void (*)()>\nbool operator==(const T& x) const noexcept ",
                     "struct A {\n public:\n  void f() const override ", "const auto f = [](int x) ",
                     'extern "C" int f(char c = \'{\', int x = 1\'000) ', "TEST(A, b) "):
            with self.subTest(head):
                self.write("engine/base/a.cpp", head + body + (";\n" if "=" in head else "\n"))
                self.assertIn("has 6", "".join(sizes.check(self.root)))

    def test_tables_classes_and_namespaces_may_be_long(self):
        rows = "  {1, 2},\n" * 70
        self.write("engine/base/a.cpp", f"namespace a {{\nconst int kTable[][2] = {{\n{rows}}};\n"
                                        f"enum class E : int {{\n{'  x,' * 70}\n}};\nclass B : public C<int()> {{\n"
                                        f"{'  int f() { return 1; }' * 70}\n}};\n}}\n")
        self.assert_none(sizes)

    def test_braces_in_text_and_branches_do_not_confuse(self):
        self.write("engine/base/a.cpp", 'void f() { g("}{", R"x({{)x", \'{\'); }  // {\n#if A\nvoid h() {\n#else\n'
                                        "void h(int) {\n#endif\n}\n" + "int x;\n" * 80)
        self.assert_none(sizes)

    def test_long_python_function(self):
        self.write("tests/a.py", "def long_one():\n" + "    pass\n" * 60)
        self.assert_problem(sizes, "tests/a.py:1", "long_one has 61 lines")


class LicencesTest(Project):
    def test_right_lines_pass(self):
        self.write("engine/base/a.h", "// SPDX-License-Identifier: Apache-2.0\n")
        self.write("ui/CMakeLists.txt", "# SPDX-License-Identifier: GPL-3.0-or-later\n")
        self.write("packaging/a.sh", "#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\n")
        self.write("README.md", "# Read\n")
        self.assert_none(licences)

    def test_missing_line(self):
        self.write("engine/base/a.h", "#pragma once\n")
        self.assert_problem(licences, "engine/base/a.h:1", "Apache-2.0")

    def test_wrong_licence_for_the_folder(self):
        for path in ("ui/views/a.cpp", "app/workbench/main.cpp", "tests/ui/a_test.cpp"):
            with self.subTest(path):
                self.write(path, "// SPDX-License-Identifier: Apache-2.0\n")
                self.assert_problem(licences, path, "GPL-3.0-or-later")
                (self.root / path).unlink()
        self.write("engine/base/a.cpp", "// SPDX-License-Identifier: GPL-3.0-or-later\n")
        self.assert_problem(licences, "engine/base/a.cpp:1")

    def test_script_without_line(self):
        self.write("packaging/run", "#!/bin/sh\necho\n")
        self.assert_problem(licences, "packaging/run:2")


class LayoutTest(Project):
    def setUp(self):
        super().setUp()
        self.write(".clang-format", "BasedOnStyle: Google\n")

    def test_bad_layout(self):
        self.write("engine/base/a.cpp", "int  f( ){return 1 ;}\n")
        problems = layout.check(self.root)
        self.assertIn("engine/base/a.cpp: ", problems[0])

    def test_good_layout(self):
        self.write("engine/base/a.cpp", "int f() { return 1; }\n")
        self.assert_none(layout)

    def test_missing_tool_is_told_in_words(self):
        self.write("engine/base/a.cpp", "int f() { return 1; }\n")
        with mock.patch("shutil.which", return_value=None):
            self.assert_problem(layout, "clang-format 14 is missing", "packaging/setup.sh")


class WordsTest(Project):
    def test_forbidden_words(self):
        for word in ("/wo" + "rk/main", "see sha" + "red/cases", "TO" + "DO: later", "FIX" + "ME"):
            with self.subTest(word):
                self.write("docs/a.md", f"fine\n{word}\n")
                self.assert_problem(words, "docs/a.md:2")

    def test_ordinary_words_and_binaries_pass(self):
        self.write("docs/a.md", "a shared library, tvm_ffi::shared, network/x\n")
        (self.root / "docs/a.bin").write_bytes(b"\xff\xfe TO" + b"DO")
        self.assert_none(words)


class RunCheckTest(Project):
    def test_exit_status(self):
        self.write("engine/base/a.h", "#pragma once\n")
        with mock.patch("builtins.print") as printed:
            self.assertEqual(run_check.main(["licences", str(self.root)]), 1)
            self.assertEqual(run_check.main(["words", str(self.root)]), 0)
            self.assertEqual(run_check.main(["nothing"]), 2)
        self.assertIn("usage", printed.call_args[0][0])


if __name__ == "__main__":
    unittest.main()
