# SPDX-License-Identifier: Apache-2.0
"""profile: table, files in every format, and what Ctrl-C leaves."""

import csv
import io
import json
import os
import re
import resource
import signal
import time
import unittest

from cli import DATA, VM, CliTest, start


class Profile(CliTest):
    def test_table(self):
        text = self.succeeds("profile", VM / "mlp.so", "--repeat", "3", "--threads", "1")
        self.assertEqual(text.splitlines()[0].split()[:3], ["Name", "Duration", "(us)"])
        self.assert_says(text, "Sum", "Total", "Configuration", "Executor: VM", "Number of threads: 1", "Repeats: 3",
                         "Warm-up: 1")
        self.assertNotIn("\x1b", text)

    def test_json_holds_tvms_keys_and_sums_stay_below_the_total(self):
        found = json.loads(self.succeeds("profile", VM / "chain.so", "--repeat", "5", "--json", "-"))
        self.assertEqual(list(found), ["calls", "device_metrics", "configuration"])
        adds = [call for call in found["calls"] if not call["Name"]["string"].startswith("vm.builtin.")]
        self.assertEqual(len(adds), 300)
        for call in found["calls"]:
            self.assertEqual(call["Device"]["string"], "cpu0")
            self.assertEqual(call["Count"]["count"], 1)
            self.assertGreater(call["Duration (us)"]["microseconds"], 0)
            self.assertLessEqual(call["Percent"]["percent"], 100)
        self.assertIn("float32[16], float32[16]", adds[0]["Argument Shapes"]["string"])
        total = found["device_metrics"]["cpu0"]["Duration (us)"]["microseconds"]
        self.assertLessEqual(sum(call["Duration (us)"]["microseconds"] for call in found["calls"]), total)

    def test_rows_are_those_of_tvms_own_profiler(self):
        """Executables of TVM 0.21, the last with vm.profile, beside the report that it made of them."""
        folder = DATA / "vm" / "tvm021" / "profile"
        libraries = sorted(folder.glob("*.so"))
        self.assertGreaterEqual(len(libraries), 2)
        for library in libraries:
            expected = json.loads(library.with_suffix(".report.json").read_text())["calls"]
            found = json.loads(self.succeeds("profile", library, "--repeat", "1", "--json", "-"))["calls"]
            keys = ("Name", "Count", "Device", "Argument Shapes")
            self.assertEqual([[call[key] for key in keys] for call in found],
                             [[call[key] for key in keys] for call in expected], library.name)

    def test_every_file(self):
        names = {"json": "r.json", "csv": "r.csv", "table": "r.txt", "samples": "s.json", "trace": "t.json",
                 "html": "p.html"}
        options = [word for key, name in names.items() for word in (f"--{key}", self.folder / name)]
        self.assertEqual(self.succeeds("profile", VM / "mlp.so", "--repeat", "2", *options), "")
        self.assert_folder_holds(*names.values())
        calls = json.loads((self.folder / "r.json").read_text())["calls"]
        rows = list(csv.DictReader(io.StringIO((self.folder / "r.csv").read_text(), newline="")))
        self.assertEqual([row["Name"] for row in rows], [call["Name"]["string"] for call in calls])
        self.assertEqual((self.folder / "r.txt").read_text().split()[0], "Name")
        self.assertEqual(json.loads((self.folder / "s.json").read_text())["schema"], "opscope.samples/1")
        self.assertTrue(json.loads((self.folder / "t.json").read_text()))

    def test_quiet_prints_nothing(self):
        done = self.run_cli("profile", VM / "chain.so", "--repeat", "1", "--quiet")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_warnings_go_to_standard_error(self):
        done = self.run_cli("profile", VM / "mlp_compiled.so", "--repeat", "1", "--json", "-")
        json.loads(done.stdout)
        self.assert_says(done.stderr, "opscope: warning: One repeat only")

    def test_compiled_functions_show_their_calls(self):
        lists = {}
        for name in ("chain", "chain_compiled"):
            done = self.succeeds("profile", VM / f"{name}.so", "--repeat", "2", "--json", "-")
            calls = json.loads(done)["calls"]
            lists[name] = [(call["Name"]["string"], call["Argument Shapes"]["string"]) for call in calls]
            lists[name] = [call for call in lists[name] if call[0] != "vm.builtin.copy"]
        self.assertEqual(len(lists["chain"]), 302)
        self.assertEqual(lists["chain_compiled"], lists["chain"])

    def samples(self, *options):
        return json.loads(self.succeeds("profile", VM / "chain.so", "--samples", "-", *options))

    def test_repeats_without_recording_tell_what_it_adds(self):
        found = self.samples("--repeat", "8", "--overhead", "full")
        self.assertEqual(found["repeats"], 8)
        self.assertEqual(found["overhead"]["repeats"], list(range(8)))
        self.assertEqual(len(found["overhead"]["unhookedNs"]), 8)
        self.assertGreater(min(found["overhead"]["unhookedNs"]), 0)
        self.assertGreater(found["overhead"]["calls"], 300)
        facts = {fact["name"]: fact["value"] for fact in found["environment"]}
        self.assertRegex(facts["Profiling"], r"^(adds .* to a call; 8 pairs|what it adds is not measurable.*; 8 pairs)")
        self.assertRegex(facts["Outside of kernels"], r"^\d.* of the total$")
        self.assertEqual(self.samples("--repeat", "2", "--overhead", "off")["overhead"]["repeats"], [])

    def test_a_run_has_a_grade_with_reasons(self):
        found = self.samples("--repeat", "6")
        noise = found["noise"]
        self.assertEqual(noise["grade"], max(check["grade"] for check in noise["checks"]))
        self.assertIn("load", [check["id"] for check in noise["checks"]])
        for check in noise["checks"]:
            self.assertIn(check["grade"], "ABCD")
            self.assertTrue(check["title"] and check["found"])
            self.assertEqual(bool(check["advice"]), check["grade"] != "A", check)
        few = self.samples("--repeat", "2")["noise"]
        self.assertGreaterEqual(few["grade"], "C")
        store = self.folder / "s.sqlite"
        self.succeeds("profile", VM / "mlp.so", "--quiet", "--save", "--store", store)
        shown = self.succeeds("runs", "show", "last", "--store", store)
        self.assertRegex(shown, r"(?m)^Noise grade  [ABCD]: ")
        self.assertRegex(shown, r"(?m)^Profiling    ")

    def test_counters(self):
        listed = self.succeeds("profile", "--counters", "list")
        here = dict(line.split()[:2] for line in listed.split("\n\n")[0].splitlines()[1:])
        self.assertIn("page-faults", here)
        for name, answer in here.items():
            if answer == "no":
                self.assert_says(self.fails(1, "profile", VM / "mlp.so", "--counters", name), name, "cannot be counted")
        if here["page-faults"] == "no":
            print("page-faults cannot be counted here:", listed)
            return
        report = json.loads(self.succeeds("profile", VM / "mlp.so", "--repeat", "2", "--counters",
                                          "page-faults,task-clock", "--json", "-"))
        for call in report["calls"]:
            self.assertGreaterEqual(call["task-clock"]["microseconds"], 0)
            self.assertIn("page-faults", call)
        self.assertGreater(sum(call["task-clock"]["microseconds"] for call in report["calls"]), 0)

    def test_unknown_counters(self):
        self.assert_says(self.fails(1, "profile", VM / "mlp.so", "--counters", "cache-mises"), "cache-mises",
                         'Did you mean "cache-misses"?')
        self.assert_says(self.fails(2, "profile", "--counters", "cycles"), "FILE")

    def test_scenario(self):
        samples = self.succeeds("profile", VM / "closure.so", "--scenario", VM / "closure.scenario.json", "--inputs",
                                VM / "closure.npz", "--repeat", "2", "--samples", "-")
        self.assert_says(samples, "closure.scenario.json")

    def test_branches_and_recursion_run(self):
        for name in ("ifelse", "recursion", "closure", "sortetc", "transformer", "workspace"):
            self.succeeds("profile", VM / f"{name}.so", "--repeat", "2", "--quiet", "--scenario",
                          VM / f"{name}.scenario.json", "--inputs", VM / f"{name}.npz")

    def test_a_file_that_cannot_be_written_is_told_before_the_run(self):
        began = time.monotonic()
        text = self.fails(1, "profile", VM / "chain.so", "--repeat", "1000000", "--json", self.folder / "no" / "r.json")
        self.assert_says(text, "r.json")
        self.assertLess(time.monotonic() - began, 30)

    def test_failures(self):
        self.assert_says(self.fails(1, "profile", VM / "dpspacked.so"), "proto.dps_add")
        self.assert_says(self.fails(1, "profile", self.folder / "none.so", "--json", self.folder / "r.json"), "none.so")
        self.assert_folder_holds()


    @unittest.skipIf(os.environ.get("OPSCOPE_SANITIZE"), "a sanitizer reserves more addresses than the limit lets it")
    def test_more_repeats_than_memory_holds_are_told_at_once(self):
        began = time.monotonic()
        # The records of a million repeats of 300 calls and more need over 20 GiB.
        done = self.run_cli("profile", VM / "chain.so", "--repeat", "1000000", "--json", self.folder / "r.json",
                            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30)))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assert_says(done.stderr, "1000000 repeats do not fit into memory", "Up to ")
        self.assertLess(time.monotonic() - began, 30)
        self.assert_folder_holds()


class Interrupted(CliTest):
    REPEATS = 100_000

    def interrupt(self, *options):
        running = start("profile", VM / "chain.so", "--verbose", "--repeat", self.REPEATS, *options)
        for line in running.stderr:
            if re.search(r"measuring, [1-9]\d* of", line, re.IGNORECASE):
                break
        self.assertIsNone(running.poll(), "it ended by itself")
        running.send_signal(signal.SIGINT)
        output, errors = running.communicate(timeout=120)
        self.assertEqual(running.returncode, 130, errors)
        return output, errors

    def test_what_was_measured_is_written_and_marked(self):
        output, errors = self.interrupt("--json", self.folder / "r.json", "--samples", self.folder / "s.json")
        self.assertRegex(errors, r"interrupted: \d+ of 100000 repeats")
        self.assertRegex(output, r"Repeats: \d+ of 100000")
        report = json.loads((self.folder / "r.json").read_text())
        self.assertRegex(report["configuration"]["Repeats"]["string"], r"^\d+ of 100000$")
        self.assertTrue(report["calls"])
        self.assertIn("Stopped on request.", (self.folder / "s.json").read_text())

    def test_nothing_else_is_left(self):
        self.interrupt("--json", self.folder / "r.json", "--quiet")
        self.assert_folder_holds("r.json")


if __name__ == "__main__":
    unittest.main()
