#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What profiling adds to a call: Opscope's recorder and TVM 0.21's profiler, turn by turn on one executable.

Run it by tests/peer/run_with_tvm.sh 0.21 FOLDER, which brings the last TVM that has a profiler. Each side's own plain
run is taken away from its profiled one, so kernels, which both run, do not count. TVM's part has its report's making
in it, as `profile` has no way without; the other side's does not, so its way from records to report is not compared.
"""
import argparse
import os
import statistics
import subprocess
import time

import numpy
import tvm
from tvm import relax


class Ours:
    def __init__(self, worker, stem):
        self.process = subprocess.Popen([worker, stem + ".so", stem + ".scenario.json", stem + ".npz", "1"],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.answer() != "ready":
            raise SystemExit("our worker did not get ready")

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"our worker ended early (status {self.process.wait()})")
        return line.strip()

    def ask(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return self.answer()

    def turn(self, plays):
        """Best plain and profiled play in ns, and the calls of one."""
        self.ask("record off")
        plain = min(int(word) for word in self.ask(f"time {plays}").split())
        if self.ask("record on") != "ok":
            raise SystemExit("the recorder cannot be switched on")
        profiled = min(int(word) for word in self.ask(f"time {plays}").split())
        return plain, profiled, int(self.ask("records"))

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Theirs:
    def __init__(self, stem):
        library = tvm.runtime.load_module(stem + ".so")
        self.plain = relax.VirtualMachine(library, tvm.cpu())
        self.profiled = relax.VirtualMachine(library, tvm.cpu(), profile=True)
        arrays = numpy.load(stem + ".npz")
        self.inputs = [tvm.nd.array(arrays["in/0"])]

    @staticmethod
    def best(run, plays):
        times = []
        for _ in range(plays):
            begin = time.perf_counter_ns()
            run()
            times.append(time.perf_counter_ns() - begin)
        return min(times)

    def turn(self, plays):
        reports = []
        plain = self.best(lambda: self.plain["main"](*self.inputs), plays)
        profiled = self.best(lambda: reports.append(self.profiled.profile("main", *self.inputs)), plays)
        return plain, profiled, len(reports[-1].calls)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worker", required=True, help="bench_worker_opscope of this build")
    parser.add_argument("--pairs", type=int, default=30)
    options = parser.parse_args()
    os.environ["TVM_NUM_THREADS"] = "1"
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    stem = os.path.join(root, "tests", "data", "vm", "tvm021", "chain21")
    ours, theirs = Ours(options.worker, stem), Theirs(stem)
    added = {"ours": [], "theirs": []}
    minima = {"ours": [float("inf")] * 2, "theirs": [float("inf")] * 2}
    calls = {}
    sides = {"ours": ours, "theirs": theirs}
    for pair in range(options.pairs):
        for name in (("ours", "theirs") if pair % 2 == 0 else ("theirs", "ours")):
            plain, profiled, calls[name] = sides[name].turn(200 if name == "ours" else 10)
            minima[name] = [min(minima[name][0], plain), min(minima[name][1], profiled)]
            added[name].append((profiled - plain) / calls[name])
    ours.close()
    print(f"chain21 with TVM {tvm.__version__}, {options.pairs} pairs, load {os.getloadavg()[0]:.2f}")
    best = {}
    for name, label in (("ours", "Opscope's recorder"), ("theirs", "TVM's profile")):
        best[name] = (minima[name][1] - minima[name][0]) / calls[name]
        print(f"{label}: {calls[name]} calls, {best[name]:.1f} ns added a call by minima, "
              f"{statistics.median(added[name]):.1f} ns by the median of pairs")
    ratio = statistics.median(a / b for a, b in zip(added["ours"], added["theirs"]))
    print(f"ratio of minima 1/{best['theirs'] / best['ours']:.1f}, median ratio of pairs 1/{1 / ratio:.1f} (goal 1/30)")


if __name__ == "__main__":
    main()
