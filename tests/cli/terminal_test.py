# SPDX-License-Identifier: Apache-2.0
"""What a person sees: the program under a pseudo-terminal, and that nothing of it goes into a pipe."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import unittest

from cli import PROGRAM, VM, CliTest

SEQUENCE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def on_terminal(*arguments, columns=80, error_to=None, **environment):
    """(status, everything that the terminal got). Standard error comes to the terminal too unless told otherwise."""
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    variables = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "NO_COLOR")}
    variables.update({"TERM": "xterm"}, **environment)
    running = subprocess.Popen([PROGRAM, *map(str, arguments)], stdin=side, stdout=side, stderr=error_to or side,
                               env=variables)
    os.close(side)
    got = b""
    while True:
        try:
            part = os.read(main, 65536)
        except OSError:  # the program ended
            break
        if not part:
            break
        got += part
    os.close(main)
    return running.wait(timeout=120), got.decode().replace("\r\n", "\n")


def visible(text):
    """The lines that stay on the screen."""
    return [SEQUENCE.sub("", line.split("\r")[-1]) for line in text.split("\n")]


class Terminal(CliTest):
    def shown(self, *arguments, **options):
        status, text = on_terminal(*arguments, **options, error_to=subprocess.DEVNULL)
        self.assertEqual(status, 0, text)
        return text

    def assert_fits(self, text, columns):
        for line in visible(text):
            self.assertLessEqual(len(line), columns, line)

    def test_the_table_fits_any_width_and_a_summary_follows(self):
        for columns in (60, 80, 100, 160):
            with self.subTest(columns=columns):
                text = self.shown("profile", VM / "transformer.so", "--dim", "seq=4", "--repeat", 3, columns=columns)
                self.assert_fits(text, columns)
                self.assert_says(text, "Duration (us)", "Percent", "matmul", "median of 3 repeats", "In ops",
                                 "Warm-up: 1")
        self.assertIn("Median (us)", text)

    def test_columns_go_before_the_terminals_own_width(self):
        self.assert_fits(self.shown("profile", VM / "transformer.so", "--dim", "seq=4", COLUMNS="64"), 64)
        self.assert_fits(self.shown("profile", VM / "mlp.so", COLUMNS="none"), 80)

    def test_recordings_fit(self):
        for columns in (50, 80, 200):
            text = self.shown("profile", VM / "cnn.so", "--memory", "--lanes", columns=columns)
            self.assert_fits(text, columns)
            self.assert_says(text, "Peak memory", "Held for", "Parallel parts")

    def test_wide_is_the_piped_table(self):
        self.succeeds("profile", VM / "mlp.so", "--json", self.folder / "r.json", "--quiet")
        piped = self.succeeds("report", self.folder / "r.json")
        wide = SEQUENCE.sub("", self.shown("report", self.folder / "r.json", "--wide"))
        self.assertEqual(wide, piped)
        self.assertNotEqual(self.shown("report", self.folder / "r.json"), piped)
        self.shown("profile", VM / "mlp.so", "--table", self.folder / "t.txt")
        self.assertTrue((self.folder / "t.txt").read_text().startswith("Name  "))

    def test_tables_that_are_cut_say_so(self):
        sweep = ("sweep", VM / "mlp_dyn.so", "--over", "n=1..12", "--repeat", 2)
        text = self.shown(*sweep)
        self.assert_fits(text, 80)
        self.assertRegex(text, r"Cut to 80 columns, without n=\d")
        wide = self.shown(*sweep, "--wide")
        self.assertIn("n=12", wide.split("\n")[0])
        self.assertNotIn("Cut to", wide)
        samples = self.folder / "s.json"
        self.succeeds("profile", VM / "cnn.so", "--repeat", 5, "--quiet", "--samples", samples)
        text = self.shown("compare", samples, samples, columns=60)
        self.assert_fits(text.split("\n\n", 1)[1], 60)  # paths of the files stand above
        self.assertIn("Cut to 60 columns", text)
        self.assertNotIn("Cut to", self.shown("compare", samples, samples, "--wide", columns=60))

    def test_long_names_leave_room_for_numbers(self):
        store = self.folder / "runs.sqlite"
        self.succeeds("profile", VM / "mlp.so", "--save", "--store", store, "--quiet")
        text = self.shown("runs", "sql", f"SELECT '{'x' * 600}end' AS name, 12345 AS number, '{'y' * 90}' AS other",
                          "--store", store)
        self.assert_fits(text, 80)
        self.assert_says(text, "12345", "end  ", "…", "Cut to 80 columns; a pipe and --csv show all.")
        self.assertNotIn("Cut to", self.shown("runs", "sql", "SELECT 1", "--store", store))

    def test_inspect_cuts_lines_and_lists(self):
        text = self.shown("inspect", VM / "transformer.so")
        self.assert_fits("\n".join(text.split("\n")[:-3]), 80)  # the command to copy is whole
        self.assert_says(text, "… and 2 more (--all or a pipe shows them)", "--dim seq=1")
        everything = SEQUENCE.sub("", self.shown("inspect", VM / "transformer.so", "--all"))
        self.assertEqual(everything, self.succeeds("inspect", VM / "transformer.so"))
        self.assertNotIn("…", everything.split("Constants (")[0])

    def test_progress_is_shown_and_gone_in_the_end(self):
        status, text = on_terminal("profile", VM / "chain.so", "--repeat", 10_000)
        self.assertEqual(status, 0, text)
        self.assertRegex(text, r"measuring  \[[#.]+\] \d+ of 10000")
        self.assertFalse([line for line in visible(text) if "measuring" in line])

    def test_outputs_fit_too(self):
        self.assert_fits(self.shown("run", VM / "transformer.so", "--dim", "seq=4", columns=50), 50)

    def test_colours_can_be_turned_off(self):
        self.assertIn("\x1b[1m", self.shown("inspect", VM / "mlp.so"))
        self.assertNotIn("\x1b", self.shown("inspect", VM / "mlp.so", NO_COLOR="1"))
        status, text = on_terminal("profile", VM / "chain.so", "--repeat", 20, TERM="dumb")
        self.assertEqual(status, 0)
        self.assertNotIn("\x1b", text)
        self.assertNotIn("measuring", text, "a bar needs a cursor that moves")

    def test_a_pipe_gets_neither_colour_nor_bar(self):
        done = self.run_cli("profile", VM / "chain.so", "--repeat", "20")
        self.assertNotIn("\x1b", done.stdout + done.stderr)
        self.assertNotIn("measuring", done.stderr)
        self.assertNotIn("median of", done.stdout)

    def test_warnings_are_told_once(self):
        _, text = on_terminal("profile", VM / "mlp_compiled.so", "--repeat", 1)
        self.assertEqual(text.count("One repeat only"), 1, text)


if __name__ == "__main__":
    unittest.main()
