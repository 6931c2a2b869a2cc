# SPDX-License-Identifier: Apache-2.0
"""Runs, profiles and times on TVM's own servers, directly and by a tracker: values, names, counts and shapes are
those of a local run. With this Python's TVM as the board."""

import json
import os
import pathlib
import sys
import tempfile
import unittest

import board_cases as cases

VERSION = os.environ.get("OPSCOPE_PEER_VERSION", "0.27")
IS_021 = VERSION.startswith("0.21")
# What needs a plugin, or inputs that lie elsewhere.
NOT_HERE = {"dpspacked", "kernelcall", "parfail", "mlp", "mlp_compiled", "mlp_dyn", "mlp_dyn_compiled", "mlp_zero",
            "rich21_compiled"}


def libraries():
    names = sorted(path for path in cases.FIXTURES.glob("*.so")
                   if path.with_suffix(".scenario.json").exists() and path.stem not in NOT_HERE)
    sample = pathlib.Path(os.environ["OPSCOPE_SAMPLES"]) / "basic_pitch.so"
    return names + ([] if IS_021 else [sample])


class Boards(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.tracker_port = cases.free_port()
        cls.tracker = cases.Started(
            [sys.executable, "-m", "tvm.exec.rpc_tracker", "--host", "127.0.0.1", "--port", str(cls.tracker_port),
             "--port-end", str(cls.tracker_port + 1)], cls.tracker_port)
        cls.port = cases.free_port()
        cls.server = cls.start_server(cls.port, "--key", "")
        cls.target = f"rpc://127.0.0.1:{cls.port}"

    @classmethod
    def start_server(cls, port, *options):
        return cases.Started([sys.executable, "-m", "tvm.exec.rpc_server", "--host", "127.0.0.1", "--port", str(port),
                              "--port-end", str(port + 1), *options], port, probe=False)

    def setUp(self):
        cases.wait_until_it_listens(self.port, self.server.process)

    @classmethod
    def tearDownClass(cls):
        cls.server.end()
        cls.tracker.end()
        cls.folder.cleanup()

    def test_values_are_those_of_a_local_run(self):
        for library in libraries():
            with self.subTest(library.stem):
                words = cases.case_of(library)
                here = cases.outputs_of(words, self.folder.name, "here")
                there = cases.outputs_of(words, self.folder.name, "there", "--target", self.target)
                self.assertEqual(cases.same_outputs(here, there), "")

    def test_profiles_name_the_same_calls(self):
        for library in libraries():
            if "compiled" in library.stem:
                continue  # TVM's machine does not tell of these: see the test below
            words = cases.case_of(library)
            steps = json.loads(library.with_suffix(".scenario.json").read_text())["steps"] if len(words) > 1 else [0]
            if IS_021 and len(steps) > 1:
                continue
            with self.subTest(library.stem):
                here = cases.samples_of(words, self.folder.name, "here")
                there = cases.samples_of(words, self.folder.name, "there", "--target", self.target)
                self.assertEqual(there["remote"]["way"], "tvm-profiler" if IS_021 else "probe")
                self.assertEqual(cases.calls_of(there, IS_021), cases.calls_of(here, IS_021))
                self.assertEqual(there["repeats"], 3)
                self.assertEqual(there["target"], self.target)

    def test_compiled_functions_tell_the_same_calls(self):
        if IS_021:
            return  # its own profiler sees none
        # What 0.25 compiled to machine code ends the process of a later server's, by whatever client.
        folder = cases.FIXTURES.parent / ("tvm025" if VERSION.startswith("0.25") else "tvm027")
        names = [name for name in ("mlp_compiled", "chain_compiled", "ifelse_compiled", "parallel_compiled")
                 if (folder / f"{name}.so").exists()]
        self.assertIn("mlp_compiled", names)
        for name in names:
            library = folder / f"{name}.so"
            words = [library] if name == "mlp_compiled" else cases.case_of(library)
            with self.subTest(name):
                here = cases.samples_of(words, self.folder.name, "here")
                there = cases.samples_of(words, self.folder.name, "there", "--target", self.target, "--overhead", "full")
                self.assertEqual(there["remote"]["way"], "probe-slots")
                self.assertEqual(there["configuration"]["Compiled functions"], {"string": "kernels met by slots"})
                self.assertEqual(there["configuration"]["Compiled functions"], here["configuration"]["Compiled functions"])
                self.assertGreater(len(there["calls"]), 3)
                self.assertEqual(cases.order_of(there), cases.order_of(here))
                self.assertEqual(cases.calls_of(there), cases.calls_of(here))
                self.assertEqual((there["repeats"], there["overhead"]["repeats"]), (3, [0, 1, 2]))
                for call in there["calls"]:
                    if call["inReport"]:
                        self.assertEqual(len(call["ownNs"]), 3, call)

    def test_calls_have_a_place_among_what_went_over_the_wire(self):
        if IS_021:
            return  # its own profiler tells no times of calls
        words = cases.case_of(cases.FIXTURES / "cnn.so")
        samples = cases.samples_of(words, self.folder.name, "places", "--target", self.target)
        traffic = samples["traffic"]
        self.assertEqual(len(traffic["repeats"]["zeroNs"]), 3)
        for zero, doubt, start in zip(*(traffic["repeats"][key] for key in ("zeroNs", "doubtNs", "startNs"))):
            self.assertGreaterEqual(zero, start)
            self.assertGreaterEqual(doubt, 0)

    def test_the_report_tells_what_the_probe_costs(self):
        if IS_021:
            return  # its own profiler needs no probe
        words = cases.case_of(cases.FIXTURES / "cnn.so")
        samples = cases.samples_of(words, self.folder.name, "cost", "--target", self.target, "--overhead", "full")
        self.assertGreater(samples["timing"]["recordingNs"], 0)
        self.assertEqual(samples["overhead"]["repeats"], [0, 1, 2])

    def test_time_is_taken_by_the_board(self):
        library = cases.FIXTURES / ("chain21.so" if IS_021 else "cnn.so")
        if library.exists():
            done = cases.cli("time", library, "--target", self.target, "--repeat", 3, "--number", 5,
                             "--json")
            timed = json.loads(done.stdout)
            self.assertGreater(timed["median_us"], 0)

    def test_calls_agree_with_a_local_run(self):
        names = ("chain21",) if IS_021 else ("chain", "cnn", "recursion", "closure", "tirvars")
        there_are = [name for name in names if (cases.FIXTURES / f"{name}.so").exists()]
        self.assertGreaterEqual(len(there_are), 1 if IS_021 else 3)
        for name in there_are:
            words = cases.case_of(cases.FIXTURES / f"{name}.so")
            words.insert(1, words[0])
            done = cases.cli("diverge", *words, "--json", "--target-b", self.target, check=False)
            with self.subTest(name):
                if IS_021:
                    self.assertEqual(done.returncode, 1)
                    self.assertIn("too old for our probe", done.stderr)
                    continue
                self.assertEqual(done.returncode, 0, done.stderr)
                there = json.loads(done.stdout)
                here = json.loads(cases.cli("diverge", *words, "--json").stdout)
                self.assertEqual(len(there["calls"]), len(here["calls"]))
                self.assertEqual((there["only_a"], there["only_b"], there["notes"]), ([], [], []))
                self.assertEqual([call["b"] for call in there["calls"]], [call["b"] for call in here["calls"]])

    def test_what_every_call_gives_is_dumped_and_checked(self):
        if IS_021:
            done = cases.cli("run", cases.FIXTURES / "chain21.so", "--check-finite", "--target", self.target, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn("too old for our probe", done.stderr)
            return
        folder = pathlib.Path(self.folder.name)
        for name in ("chain", "cnn", "tuples", "closure"):
            library = cases.FIXTURES / f"{name}.so"
            if not library.exists():
                continue
            with self.subTest(name):
                arrays = []
                for where in ("local", self.target):
                    cases.cli("run", *cases.case_of(library), "--target", where, "--dump", folder / "dump.npz", "--check-finite")
                    with cases.numpy.load(folder / "dump.npz") as file:
                        arrays.append({key: file[key] for key in file.files})
                self.assertGreater(len(arrays[0]), 3)
                self.assertEqual(cases.same_outputs(*arrays), "")
        done = cases.cli("run", cases.FIXTURES / "mlp.so", "--input", "x=const:inf", "--check-finite", "--target", self.target,
                         check=False)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("matmul", done.stderr)

    def test_a_scenario_is_timed_by_the_boards_clock(self):
        library = cases.FIXTURES / "tiny_llama.so"
        if IS_021 or not library.exists():
            return
        done = cases.cli("time", *cases.case_of(library), "--target", self.target, "--repeat", 3, "--number", 2, "--json")
        self.assertGreater(json.loads(done.stdout)["median_us"], 0)

    def test_threads_are_set_up_as_far_as_the_server_can(self):
        library = cases.FIXTURES / ("chain21.so" if IS_021 else "cnn.so")
        samples = cases.samples_of(cases.case_of(library), self.folder.name, "threads", "--target", self.target, "--threads", 1)
        self.assertIn({"name": "Threads", "value": "1"}, samples["remote"]["board"])
        done = cases.cli("time", library, "--target", self.target, "--threads", 999, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("999 were asked for", done.stderr)
        for words in (["--pin", "off"], ["--spin-us", "5"]):
            done = cases.cli("run", library, "--target", self.target, *words, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn("cannot be told how to bind its threads", done.stderr)

    def test_check_goes_all_the_way(self):
        done = cases.cli("check", self.target, "--json")
        told = json.loads(done.stdout)
        self.assertTrue(told["passed"])
        self.assertEqual([step["id"] for step in told["steps"]],
                         ["name", "tcp", "magic", "match-key", "protocol", "encoding", "functions", "devices",
                          "memory", "clock"])

    def test_check_names_the_step_that_fails(self):
        cases_of_failure = [
            (f"rpc://127.0.0.1:{cases.free_port()}", "tcp", ""),
            (f"rpc://127.0.0.1:{self.port}/another", "match-key", "key"),
            (f"rpc://127.0.0.1:{self.tracker_port}", "magic", "tracker://"),
            ("rpc://no.such.host.invalid:9090/localhost", "name", "changed places"),
            (f"tracker://127.0.0.1:{self.tracker_port}/nobody", "key", ""),
        ]
        for target, step, hint in cases_of_failure:
            with self.subTest(target):
                done = cases.cli("check", target, "--json", "--timeout", 5, check=False)
                self.assertEqual(done.returncode, 1, done.stderr)
                told = json.loads(done.stdout)
                self.assertEqual(told["steps"][-1]["id"], step, told)
                self.assertEqual(told["steps"][-1]["outcome"], "FAILED")
                self.assertIn(hint, told["failure"]["hint"])

    def test_a_tracker_gives_boards_and_a_fleet_of_them(self):
        boards = [self.start_server(cases.free_port(), "--key", "lab", "--tracker", f"127.0.0.1:{self.tracker_port}")
                  for _ in range(2)]
        try:
            self.wait_for_boards(2)
            target = f"tracker://127.0.0.1:{self.tracker_port}/lab"
            words = cases.case_of(cases.FIXTURES / ("chain21.so" if IS_021 else "cnn.so"))
            samples = cases.samples_of(words, self.folder.name, "one", "--target", target)
            self.assertEqual(samples["repeats"], 3)
            self.wait_for_boards(2)
            folder = pathlib.Path(self.folder.name) / "fleet"
            folder.mkdir()
            done = cases.cli("profile", *words, "--repeat", 2, "--target", target, "--all", "--samples",
                             folder / "run.json")
            self.assertEqual(len(list(folder.glob("run-*.json"))), 2)
            self.assertIn("Total", done.stdout)
            self.wait_for_boards(2)
            done = cases.cli("profile", *words, "--repeat", 2, "--target", target, "--all", "--quiet", "--save", "--store",
                             folder / "runs.sqlite")
            self.assertEqual(sorted(done.stdout.split()), ["1", "2"])
            done = cases.cli("profile", *words, "--target", target + "x", "--all", check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn("has no board with the key", done.stderr)
        finally:
            for board in boards:
                board.end()

    def wait_for_boards(self, count):
        for _ in range(120):
            done = cases.cli("boards", f"127.0.0.1:{self.tracker_port}", "--json")
            free = sum(key["free"] for key in json.loads(done.stdout)["keys"] if key["key"] == "lab")
            if free >= count:
                return
            cases.time.sleep(0.5)
        self.fail(f"{free} of {count} boards are free")


if __name__ == "__main__":
    unittest.main()
