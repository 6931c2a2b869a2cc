# SPDX-License-Identifier: Apache-2.0
"""diverge: the first op whose output differs between two executables, and none where they agree."""

import json
import re
import signal
import struct
import unittest

from cli import DATA, VM, CliTest, start

OTHER = DATA / "vm" / "tvm025"
OLD = DATA / "vm" / "tvm021"


def longest_weights(content):
    """Where the longest run of numbers begins that look like weights (float32), and how many they are."""
    best = (0, 0)
    for shift in range(4):
        count = (len(content) - shift) // 4
        begin = 0
        for i, value in enumerate(struct.unpack_from(f"<{count}f", content, shift)):
            if not 1e-7 < abs(value) < 100:
                begin = i + 1
            elif i + 1 - begin > best[1]:
                best = (shift + 4 * begin, i + 1 - begin)
    return best


class Diverge(CliTest):
    def test_an_executable_and_itself(self):
        for file in (VM / "chain.so", VM / "cnn.so", OLD / "chain21.so"):
            with self.subTest(file=file.name):
                text = self.succeeds("diverge", file, file)
                self.assert_says(text, "No op differs", "paired by order; 0 differ beyond rtol 1e-05, atol 1e-05",
                                 "Results  1 of 1 agree")

    def test_two_versions_of_tvm(self):
        found = json.loads(self.succeeds("diverge", OTHER / "mlp.so", VM / "mlp.so", "--json"))
        self.assertEqual((found["schema"], found["differs"], found["first"]), ("opscope.diverge/1", False, None))
        self.assertGreater(len(found["calls"]), 3)
        self.assertEqual(found["results"][0]["place"], "out")

    def test_a_scenario(self):
        scenario = ("--scenario", VM / "recursion.scenario.json", "--inputs", VM / "recursion.npz")
        found = json.loads(self.succeeds("diverge", VM / "recursion.so", OTHER / "recursion.so", *scenario, "--json"))
        self.assertEqual(found["function"], str(VM / "recursion.scenario.json"))

    def test_a_constant_that_differs(self):
        """The same code with one weight changed."""
        self.change_a_constant()
        done = self.run_cli("diverge", VM / "mlp_const.so", self.folder / "changed.so")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assert_says(done.stdout, "First op that differs: ", "A: call ", "largest error ", "first at [", " in A, ",
                         "Results  0 of 1 agree")
        found = json.loads(self.run_cli("diverge", VM / "mlp_const.so", self.folder / "changed.so", "--json").stdout)
        first = found["calls"][found["first"]]
        self.assertTrue(found["differs"] and first["differs"])
        self.assertFalse(any(call["differs"] for call in found["calls"][:found["first"]]))
        output = next(value for value in first["outputs"] if value["differs"])
        self.assertGreater(output["max_absolute"], 0)
        self.assertGreater(output["beyond"], 0)
        self.assertNotEqual(output["first"]["a"], output["first"]["b"])

    def test_a_tolerance(self):
        self.change_a_constant()
        text = self.succeeds("diverge", VM / "mlp_const.so", self.folder / "changed.so", "--atol", "1e9")
        self.assert_says(text, "No op differs", "atol 1e+09")

    def change_a_constant(self):
        content = bytearray((VM / "mlp_const.so").read_bytes())
        begin, count = longest_weights(content)
        self.assertGreater(count, 1000)
        struct.pack_into("<f", content, begin + 4 * (count // 2), 50.0)
        (self.folder / "changed.so").write_bytes(content)

    def test_quiet(self):
        self.assertEqual(self.succeeds("diverge", VM / "mlp.so", VM / "mlp.so", "--quiet"), "")

    def test_compiled_functions_are_compared_call_by_call(self):
        done = self.run_cli("diverge", VM / "chain.so", VM / "chain_compiled.so")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("No calls were compared", done.stderr)
        self.assert_says(done.stdout, "Results  1 of 1 agree")

    def test_free_dimensions_and_inputs(self):
        self.succeeds("diverge", OTHER / "mlp_dyn.so", VM / "mlp_dyn.so", "--dim", "n=3", "--input", "0=range")


class Wrong(CliTest):
    def test_parameters_that_differ(self):
        text = self.fails(1, "diverge", VM / "mlp.so", VM / "mlp_const.so")
        self.assert_says(text, "parameters in A and", "A: forward(", "B: forward(", "must agree")

    def test_files(self):
        self.assert_says(self.fails(1, "diverge", VM / "mlp.so", self.folder / "none.so"), "none.so")
        self.assert_says(self.fails(1, "diverge", self.folder / "none.so", VM / "mlp.so"), "none.so")
        self.fails(2, "diverge", VM / "mlp.so")

    def test_tolerances(self):
        for value in ("-1", "nan", "inf", "x", "1e-5x"):
            self.assert_says(self.fails(2, "diverge", VM / "mlp.so", VM / "mlp.so", f"--rtol={value}"), "--rtol",
                             "a number from 0 on")


class Interrupted(CliTest):
    def test_while_it_runs(self):
        """The same step twenty thousand times: six million calls to hold against each other."""
        scenario = self.folder / "long.json"
        scenario.write_text(json.dumps({"steps": 20_000 * [{"func": "main", "args": [{"npz": "in/0"}]}]}))
        running = start("diverge", VM / "chain.so", VM / "chain.so", "--verbose", "--scenario", scenario, "--inputs",
                        VM / "chain.npz")
        for line in running.stderr:
            if re.search(r"measuring|comparing|running", line, re.IGNORECASE):
                break
        self.assertIsNone(running.poll(), "it ended by itself")
        running.send_signal(signal.SIGINT)
        output, errors = running.communicate(timeout=120)
        self.assertEqual((running.returncode, output), (130, ""), errors)
        self.assert_folder_holds("long.json")


if __name__ == "__main__":
    unittest.main()
