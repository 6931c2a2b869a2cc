# SPDX-License-Identifier: Apache-2.0
"""Traces and pages of real runs: valid by the checkers, and read back; files of other programs."""

import csv
import io
import json
import pathlib
import sys
import unittest

from cli import DATA, VM, CliTest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "report"))
import html_check  # noqa: E402
import trace_check  # noqa: E402

EXECUTABLES = ("mlp", "chain", "parallel", "closure", "chain_compiled")


class Trace(CliTest):
    def profile(self, name, *options):
        self.succeeds("profile", VM / f"{name}.so", "--repeat", "3", "--threads", "2", "--quiet", *options)

    def test_traces_of_runs_are_valid(self):
        for name in EXECUTABLES:
            with self.subTest(name):
                trace = self.folder / f"{name}.json"
                self.profile(name, "--memory", "--lanes", "--trace", trace)
                self.assertEqual(trace_check.problems_of(trace.read_bytes()), [])

    def test_a_trace_is_read_as_the_run_that_it_shows(self):
        trace, samples, report = (self.folder / name for name in ("t.json", "s.json", "r.json"))
        self.profile("mlp", "--memory", "--lanes", "--trace", trace, "--samples", samples, "--json", report)
        again = json.loads(self.succeeds("report", trace, "--format", "samples"))
        first = json.loads(samples.read_text())
        for key in ("names", "shapes", "devices", "totals", "repeats", "environment", "warnings", "configuration"):
            self.assertEqual(again[key], first[key], key)
        self.assertEqual(len(again["calls"]), len(first["calls"]))
        for call, original in zip(again["calls"], first["calls"]):
            self.assertEqual(len(call["ownNs"]), len(original["ownNs"]))
            for own, expected in zip(call["ownNs"], original["ownNs"]):
                self.assertLessEqual(abs(own - expected), 1)
        rows = json.loads(self.succeeds("report", trace, "--format", "json"))["calls"]
        self.assertEqual([row["Name"] for row in rows],
                         [row["Name"] for row in json.loads(report.read_text())["calls"]])
        self.assertEqual(self.succeeds("report", trace, "--format", "trace"), trace.read_text())

    def test_the_page_is_sound_and_tells_no_places(self):
        page = self.folder / "page.html"
        self.profile("parallel", "--memory", "--lanes", "--html", page)
        self.assertEqual(html_check.main([str(page)]), 0)
        text = page.read_text()
        self.assertNotIn(str(VM), text)
        self.assert_says(text, "parallel.so", "Memory", "Threads", "Timeline", "Measured on")
        self.assertTrue(self.succeeds("report", DATA / "reports" / "report-06" / "report.json", "--format", "html")
                        .startswith("<!DOCTYPE html>"))

    def test_reads_traces_of_others(self):
        done = self.run_cli("report", DATA / "traces" / "pytorch.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_says(done.stdout, "aten::addmm", "GPU 0: stream 7", "float32[8, 3], int64[4, 3]")
        self.assert_says(done.stderr, "trace of another program", "Not shown: 1 flows, 1 instants")

    def test_reads_csv_by_its_content(self):
        for folder in sorted((DATA / "reports").iterdir()):
            text = (folder / "report.csv").read_text()
            if not text.strip():
                continue
            copy = self.folder / "any.name"
            copy.write_text(text)
            found = self.succeeds("report", copy, "--format", "csv")
            self.assertEqual(list(csv.DictReader(io.StringIO(found, newline=""))),
                             list(csv.DictReader(io.StringIO(text, newline=""))))

    def test_reads_what_tvm_did_not_escape(self):
        path = self.folder / "r.json"
        path.write_text('{"calls":[{"Name":{"string":"a "quoted" \\d"},"Duration (us)":{"microseconds":5}}]}')
        done = self.run_cli("report", path, "--format", "json")
        self.assertEqual(json.loads(done.stdout)["calls"][0]["Name"]["string"], 'a "quoted" \\d')
        self.assert_says(done.stderr, "1 texts hold quotes")

    def test_what_cannot_be_read_is_told(self):
        for content, words in ((b"\x1f\x8b\x08\x00", ("compressed", "gunzip")),
                               (b'[{"ph":"M"}]', ("no event with a duration",)),
                               (b"Name,Count\n\"a\",x\n", ("line 2",))):
            path = self.folder / "f"
            path.write_bytes(content)
            self.assert_says(self.fails(1, "report", path), str(path), *words)
        self.assert_says(self.fails(1, "report", DATA / "reports" / "report-06" / "report.json", "--format", "trace"),
                         "no start times")


if __name__ == "__main__":
    unittest.main()
