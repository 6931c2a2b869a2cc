# SPDX-License-Identifier: Apache-2.0
"""sweep: values, tables, JSON and CSV, failures at one value, saving, wrong usage, interrupts."""

import csv
import io
import json
import signal
import time
import unittest

from cli import VM, CliTest, start

DYNAMIC = VM / "mlp_dyn.so"


class Sweep(CliTest):
    def test_words(self):
        text = self.succeeds("sweep", DYNAMIC, "--over", "n=1,2,8", "--repeat", "6")
        self.assert_says(text.splitlines()[0], "Op", "Growth", "n=1", "n=2", "n=8")
        self.assert_says(text, "Total", "Medians of 6 repeats", "matmul")
        self.assertNotRegex(text, r"\b(nan|inf)\b")
        self.assertNotRegex(text, r" 0(\.0+)? ?(ns|µs)")

    def test_json_and_csv(self):
        path = self.folder / "s.csv"
        found = json.loads(self.succeeds("sweep", DYNAMIC, "--over", "n=1..3,16", "--repeat", "5", "--json", "--csv",
                                         path))
        self.assertEqual((found["schema"], found["over"]), ("opscope.sweep/1", "n"))
        self.assertEqual([point["value"] for point in found["points"]], [1, 2, 3, 16])
        self.assertEqual([point["repeats"] for point in found["points"]], [5] * 4)
        self.assertIn("16", found["points"][3]["inputs"])
        self.assertEqual(len(found["total"]["us"]), 4)
        self.assertTrue(all(us > 0 for us in found["total"]["us"]))
        for op in found["ops"]:
            self.assertEqual(op["exponent"] is None, op["r_squared"] is None)
            self.assertTrue(op["exponent"] is not None or op["note"], op)
        rows = list(csv.DictReader(io.StringIO(path.read_text())))
        self.assertEqual(list(rows[0]), ["n", "Name", "Device", "Median (us)"])
        totals = [float(row["Median (us)"]) for row in rows if row["Name"] == "Total"]
        self.assertEqual(totals, found["total"]["us"])

    def test_threads(self):
        found = json.loads(self.succeeds("sweep", VM / "mlp.so", "--over", "threads=1,2", "--repeat", "3", "--json"))
        self.assertEqual(found["over"], "threads")
        self.assertEqual({op["note"] for op in found["ops"]} - {"too short to measure"}, {"fewer than 3 values measured"})

    def test_a_value_that_fails_keeps_the_others(self):
        done = self.run_cli("sweep", DYNAMIC, "--over", "n=2,0,4", "--repeat", "2", "--json")
        found = json.loads(done.stdout)
        errors = [point["error"] for point in found["points"]]
        self.assertIsNone(errors[0])
        self.assertIsNone(errors[2])
        if errors[1] is None:  # an empty batch runs
            self.assertEqual(done.returncode, 0)
        else:
            self.assertEqual(done.returncode, 1)
            self.assertIn("opscope: error: n=0: ", done.stderr)
            self.assertIsNone(found["total"]["us"][1])
        done = self.run_cli("sweep", VM / "mlp.so", "--over", "threads=1,5000", "--repeat", "2")
        self.assertEqual(done.returncode, 1)
        self.assertIn("opscope: error: threads=5000: There cannot be 5000 threads.", done.stderr)
        self.assert_says(done.stdout, "threads=1", "failed")

    def test_what_is_wrong_with_all_values_is_told_once(self):
        for words in (["mlp_dyn.so", "--over", "m=1..1000", "--dim", "n=2"], ["mlp_dyn.so", "--over", "threads=1..500"],
                      ["tiny_llama.so", "--over", "threads=1,2"]):
            status = 2 if words[0] == "tiny_llama.so" else 1
            errors = self.fails(status, "sweep", VM / words[0], *words[1:])
            self.assertEqual(errors.count("opscope: error:"), 1, errors)
        errors = self.run_cli("sweep", VM / "mlp.so", "--over", "threads=2..4", "--device", "cuda:0").stderr
        self.assertEqual(errors.count("opscope: error:"), 1, errors)
        self.assert_says(errors, "threads=2, threads=3 and threads=4: ")

    def test_a_board_that_is_not_there_is_no_local_run(self):
        errors = self.fails(1, "sweep", VM / "mlp.so", "--over", "threads=1,2", "--target", "rpc://127.0.0.1:1")
        self.assertEqual(errors.count("opscope: error:"), 1, errors)
        self.assert_says(errors, "threads=1 and threads=2: ", "127.0.0.1:1")

    def test_a_sweep_in_a_process_of_its_own(self):
        found = json.loads(self.succeeds("sweep", DYNAMIC, "--over", "n=1,4", "--repeat", "3", "--target", "isolated",
                                         "--json"))
        self.assertEqual([point["repeats"] for point in found["points"]], [3, 3])

    def test_saves_a_run_for_each_value(self):
        store = self.folder / "runs.sqlite"
        self.succeeds("sweep", DYNAMIC, "--over", "n=1,4", "--repeat", "5", "--save", "--note", "scaling", "--store", store,
                      "--quiet")
        runs = json.loads(self.succeeds("runs", "list", "--json", "--store", store))["runs"]
        self.assertEqual(sorted(run["note"] for run in runs), ["scaling, n=1", "scaling, n=4"])
        text = self.succeeds("compare", "run:last-1", "run:last", "--store", store)
        self.assert_says(text, "Inputs: ", "shapes were ")

    def test_wrong_usage(self):
        for over in ("n", "=3", "n=", "n=a", "n=3..1", "n=1,,2", "n=1..100000", "n=-1"):
            self.assertIn("is no sweep", self.fails(2, "sweep", DYNAMIC, "--over", over), over)
        self.assertIn("2 is there twice", self.fails(2, "sweep", DYNAMIC, "--over", "n=1..3,2"))
        self.assertIn("--over varies it", self.fails(2, "sweep", DYNAMIC, "--over", "n=1,2", "--dim", "n=3"))
        self.assertIn("--over varies it", self.fails(2, "sweep", DYNAMIC, "--over", "threads=1,2", "--threads", "2"))
        self.assertIn("--over", self.fails(2, "sweep", DYNAMIC))
        self.assertIn("--save", self.fails(2, "sweep", DYNAMIC, "--over", "n=1", "--note", "x"))
        self.assertIn("m", self.fails(1, "sweep", DYNAMIC, "--over", "m=1,2", "--dim", "n=2"))
        self.fails(1, "sweep", self.folder / "none.so", "--over", "n=1")

    def test_an_interrupt_keeps_what_was_measured(self):
        process = start("sweep", VM / "mlp.so", "--over", "threads=1,2,3", "--repeat", "1000000", "--json")
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors)
        if output:
            self.assertIn("topped", json.loads(output)["points"][-1]["error"]["message"])
        self.assertIn("interrupted", errors)


if __name__ == "__main__":
    unittest.main()
