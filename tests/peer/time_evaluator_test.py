#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`time` and TVM's own time evaluator on the same executable, turn by turn: both call equally often and see the same
time, within what a shared computer makes of it."""
import json
import os
import subprocess
import sys
import unittest

import numpy
import tvm
from tvm import relax

CLI = os.environ["OPSCOPE_CLI"]
SAMPLES = os.environ["OPSCOPE_SAMPLES"]
FIXTURES = os.environ["OPSCOPE_FIXTURES"]
ROUNDS, TRIES = 4, 3
FEWEST, MOST = 0.5, 2.0  # ours / TVM's: noise of other programs stays within


class TimeEvaluator(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.environ["TVM_NUM_THREADS"] = "1"

    @staticmethod
    def ours(path, function, number, repeat):
        done = subprocess.run([CLI, "time", path, "-f", function, "--number", str(number), "--repeat", str(repeat),
                               "--threads", "1", "--json"], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    @staticmethod
    def tvms(path, function, shapes, number, repeat):
        """In a process of its own, as ours is."""
        program = ("import sys, json, numpy, tvm; from tvm import relax\n"
                   "path, function, shapes, number, repeat = json.loads(sys.argv[1])\n"
                   "vm = relax.VirtualMachine(tvm.runtime.load_module(path), tvm.cpu())\n"
                   "random = numpy.random.default_rng(0)\n"
                   "arrays = [tvm.runtime.tensor(random.random(s, dtype='float32')) for s in shapes]\n"
                   "vm.save_function(function, 'timed', *arrays)\n"
                   "print(json.dumps([float(t) * 1e6 for t in vm.time_evaluator('timed', tvm.cpu(), number=number, "
                   "repeat=repeat)().results]))\n")
        asked = json.dumps([path, function, shapes, number, repeat])
        done = subprocess.run([sys.executable, "-B", "-c", program, asked], capture_output=True, text=True, check=True)
        return json.loads(done.stdout.splitlines()[-1])

    def compare(self, path, function, shapes, number, repeat):
        told = []
        for _ in range(TRIES):
            ours, tvms = [], []
            for _ in range(ROUNDS):
                found = self.ours(path, function, number, repeat)
                self.assertEqual([r["calls"] for r in found["results"]], [number] * repeat)
                ours.append(found["min_us"])
                tvms.append(min(self.tvms(path, function, shapes, number, repeat)))
            ratio = min(ours) / min(tvms)
            told.append(f"ours {min(ours):.2f} us, TVM's {min(tvms):.2f} us")
            if FEWEST <= ratio <= MOST:
                print(told[-1], file=sys.stderr)
                return
        self.fail(f"the minima are not within {FEWEST} to {MOST}: " + "; ".join(told))

    def test_a_model(self):
        self.compare(os.path.join(SAMPLES, "basic_pitch.so"), "main", [[1, 43844, 1]], 1, 3)

    def test_a_small_function(self):
        self.compare(os.path.join(FIXTURES, "mlp.so"), "forward",
                     [[1, 784], [256, 784], [256], [10, 256], [10]], 20, 5)

    def test_the_standard_deviation_is_that_of_tvms_result(self):
        found = self.ours(os.path.join(FIXTURES, "mlp.so"), "forward", 5, 6)
        result = tvm.runtime.module.BenchmarkResult([r["us"] for r in found["results"]])
        for key in ("mean", "median", "min", "max", "std"):
            self.assertTrue(numpy.isclose(found[f"{key}_us"], getattr(result, key), rtol=1e-9), key)


if __name__ == "__main__":
    print("TVM", tvm.__version__, relax.__name__, file=sys.stderr)
    unittest.main()
