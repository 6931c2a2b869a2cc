# SPDX-License-Identifier: Apache-2.0
"""report: reads what was written and writes it in each form; damaged reports."""

import csv
import io
import json
import unittest

from cli import VM, CliTest

NASTY = 'a "quoted", name\nwith ünïcödé and\ttab'


def report_with(name):
    return {
        "calls": [
            {"Name": {"string": name}, "Duration (us)": {"microseconds": 12.5}, "Percent": {"percent": 62.5},
             "Device": {"string": "cpu0"}, "Count": {"count": 1}, "Argument Shapes": {"string": "float32[1, 2]"}},
            {"Name": {"string": "other"}, "Duration (us)": {"microseconds": 2.5}, "Percent": {"percent": 12.5},
             "Device": {"string": "cpu0"}, "Count": {"count": 1}, "Argument Shapes": {"string": "float32[3]"}},
        ],
        "device_metrics": {"cpu0": {"Duration (us)": {"microseconds": 20.0}, "Count": {"count": 1},
                                    "Device": {"string": "cpu0"}, "Percent": {"percent": 100.0}}},
        "configuration": {"Executor": {"string": "VM"}, "Number of threads": {"count": 4}},
    }


class Report(CliTest):
    def write(self, content, name="r.json"):
        path = self.folder / name
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path

    def test_table(self):
        path = self.write(report_with("conv"))
        text = self.succeeds("report", path)
        self.assert_says(text, "conv", "Sum", "Total", "Executor: VM")
        self.assertNotIn("Sum", self.succeeds("report", path, "--no-sums"))
        self.succeeds("report", path, "--no-sort", "--no-aggregate")

    def test_json_and_csv_keep_every_text(self):
        path = self.write(report_with(NASTY))
        self.assertEqual(json.loads(self.succeeds("report", path, "--format", "json")), report_with(NASTY))
        rows = list(csv.DictReader(io.StringIO(self.succeeds("report", path, "--format", "csv"), newline="")))
        self.assertEqual([row["Name"] for row in rows], [NASTY, "other"])

    def test_bad_reports_are_named(self):
        for content, words in (("{", ()), ("[]", ()), ('{"calls": 5}', ("calls",)), ("", ()), ("\x00\x01", ()),
                               ('{"calls": [{"Name": {"string": 5}}]}', ("calls[0]",)),
                               ('{"schema": "opscope.samples/99"}', ("99",))):
            with self.subTest(content=content):
                self.assert_says(self.fails(1, "report", self.write(content)), "r.json", *words)

    def test_files_that_are_none_are_told_by_what_they_seem_to_be(self):
        for content, words in (("notes of mine", ("is text", "It begins with \"notes of mine\"", "session file")),
                               ("Name,Dura", ("CSV that is cut off",)),
                               ('{"a": 1}', ("JSON of another kind", "Its keys are \"a\""))):
            with self.subTest(content=content):
                self.assert_says(self.fails(1, "report", self.write(content)), "r.json", *words)
        self.assert_says(self.fails(1, "report", VM / "chain.so"), "a library or program (ELF)", "opscope-cli profile FILE")

    def test_session_files_are_read(self):
        session = self.folder / "sent.opscope"
        self.succeeds("profile", VM / "chain.so", "--repeat", 5, "--save", "--store", session, "--quiet")
        self.assert_says(self.succeeds("report", session), "Executor: VM")
        self.assert_says(self.succeeds("compare", session, session), "5 repeats", "±0.0 %")
        self.succeeds("profile", VM / "chain.so", "--repeat", 5, "--save", "--store", session, "--quiet")
        self.assert_says(self.fails(1, "report", session), "a store of 2 runs", f"run:2 --store {session}")
        self.assert_says(self.succeeds("report", "run:2", "--store", session), "Executor: VM")
        cut = self.folder / "cut.opscope"
        cut.write_bytes(session.read_bytes()[:9000])
        text = self.fails(1, "report", cut)
        self.assert_says(text, "session file", "copy it again")
        self.assertNotIn("Move it away", text)

    def test_no_such_report(self):
        self.assert_says(self.fails(1, "report", self.folder / "none.json"), "none.json")


if __name__ == "__main__":
    unittest.main()
