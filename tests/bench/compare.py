#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs Opscope's engine and TVM 0.27's turn by turn on the same executables and prints ratios.

Both sides are programs of their own (they register the same names), so their runs are interleaved over pipes: one of
ours, one of theirs, and again. Machines are noisy: minima and medians of many pairs are shown, never one time.
"""
import argparse
import glob
import json
import os
import statistics
import subprocess
import sys
import tempfile

import opening


class Worker:
    def __init__(self, program, case, threads, runtime):
        env = dict(os.environ, OPSCOPE_TVM_RUNTIME=runtime, TVM_NUM_THREADS=str(threads))
        self.process = subprocess.Popen([program, case["so"], case["scenario"], case["npz"], str(threads)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)
        if self._answer() != "ready":
            raise SystemExit(f"{program} did not get ready for {case['name']}")

    def _answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"a worker ended early (status {self.process.wait()})")
        return line.strip()

    def ask(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return self._answer()

    def time(self, count):
        return [int(word) for word in self.ask(f"time {count}").split()]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def interleave(sides, pairs, plays):
    """Returns for each side the best play of each turn, in ns, and the median of all its plays."""
    best = {name: [] for name in sides}
    every = {name: [] for name in sides}
    for name, turn in sides.items():
        turn()
    for pair in range(pairs):
        order = list(sides) if pair % 2 == 0 else list(reversed(list(sides)))
        for name in order:
            times = sides[name](plays)
            best[name].append(min(times))
            every[name] += times
    return best, every


def per_instruction(options, runtime):
    case = options.cases["chain"]
    ours = Worker(options.worker("opscope"), case, 1, runtime)
    theirs = Worker(options.worker("tvm"), case, 1, runtime)
    best, _ = interleave({"ours": lambda n=20: ours.time(n), "theirs": lambda n=20: theirs.time(n)}, options.pairs * 2, 200)
    count = int(case["instructions"])
    minima = {side: min(values) / count for side, values in best.items()}
    ratio = statistics.median(a / b for a, b in zip(best["ours"], best["theirs"]))
    print(f"chain, {count} instructions: ours {minima['ours']:.1f} ns an instruction, TVM {minima['theirs']:.1f} ns; "
          f"ratio of minima {minima['ours'] / minima['theirs']:.3f}, median ratio of pairs {ratio:.3f} (goal <= 0.80)")
    recorder(options, ours)
    ours.close()
    theirs.close()


def recorder(options, worker):
    """Plain and recorded plays alternate; the difference is what recording adds."""
    plain, recorded, calls = [], [], 0
    for _ in range(options.pairs * 2):
        worker.ask("record off")
        plain.append(min(worker.time(200)))
        if worker.ask("record on") != "ok":
            raise SystemExit("the recorder cannot be switched on")
        recorded.append(min(worker.time(200)))
        calls = int(worker.ask("records"))
    worker.ask("record off")
    added = (min(recorded) - min(plain)) / calls
    median = statistics.median((a - b) / calls for a, b in zip(recorded, plain))
    print(f"recorder: {calls} calls, {added:.1f} ns added a recorded call by minima, {median:.1f} ns by the median of pairs "
          f"(goal <= 150)")


class Counted:
    """Machine instructions that a worker executes, by valgrind: exact, whatever else the computer does."""

    def __init__(self, program, case, runtime):
        self.program, self.case, self.runtime = program, case, runtime

    def count(self, plays):
        """(all, those in the executable's own kernels) of a process that plays `plays` times."""
        with tempfile.TemporaryDirectory(prefix="opscope-") as folder:
            out = os.path.join(folder, "callgrind.out")
            env = dict(os.environ, OPSCOPE_TVM_RUNTIME=self.runtime, TVM_NUM_THREADS="1")
            done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", self.program,
                                   self.case["so"], self.case["scenario"], self.case["npz"], "1"],
                                  input=f"time {plays}\n", capture_output=True, text=True, env=env, check=False)
            if done.returncode != 0 or not os.path.exists(out):
                raise RuntimeError((done.stderr.strip().splitlines() or ["no output"])[-1])
            return self.sums(out)

    def sums(self, path):
        """Adds up each object's own costs; the line after calls= is the callee's and does not count."""
        every, kernels, names, current, skip = 0, 0, {}, "", False
        for line in open(path, encoding="utf-8", errors="replace"):
            key, _, value = line.partition("=")
            if key in ("ob", "cob"):
                number, _, name = value.strip().partition(" ")
                name = names.setdefault(number, name)  # told once, wherever it comes first
                current = name if key == "ob" else current
            elif line.startswith("calls="):
                skip = True
            elif line[:1] in "0123456789+-*":
                if not skip:
                    cost = int(line.split()[1])
                    every += cost
                    kernels += cost if self.is_kernel(current) else 0
                skip = False
        return every, kernels

    def is_kernel(self, name):
        """Ours runs from a copy in memory, which valgrind has no name for, TVM's from its file."""
        return name == "???" or os.path.basename(name) == os.path.basename(self.case["so"])


def instructions(options, runtime):
    """Two runs that differ in the number of plays: their difference has neither start nor end of the process."""
    case = options.cases["chain"]
    plays = 20
    found = {}
    for side in ("opscope", "tvm"):
        counted = Counted(options.worker(side), case, runtime)
        try:
            once, twice = counted.count(plays), counted.count(2 * plays)
        except (OSError, RuntimeError) as error:
            print(f"chain, machine instructions of {side}: not counted ({error})")
            continue
        every, kernels = ((b - a) / (plays * int(case["instructions"])) for a, b in zip(once, twice))
        found[side] = every - kernels
        print(f"chain, machine instructions of {side} an instruction of the VM: {every:.1f}, {kernels:.1f} of them in "
              f"kernels, {every - kernels:.1f} around them")
    if len(found) == 2:
        print(f"chain, ratio of machine instructions around kernels {found['opscope'] / found['tvm']:.3f}")


def latency(options, runtime):
    for name, case in options.cases.items():
        if name == "chain":
            continue
        ours = Worker(options.worker("opscope"), case, options.threads, runtime)
        theirs = Worker(options.worker("tvm"), case, options.threads, runtime)
        best, every = interleave({"ours": lambda n=2: ours.time(n), "theirs": lambda n=2: theirs.time(n)}, options.pairs, 2)
        ratio = statistics.median(a / b for a, b in zip(best["ours"], best["theirs"]))
        print(f"{name}: ours min {min(best['ours']) / 1e6:.3f} ms, median {statistics.median(every['ours']) / 1e6:.3f} ms; "
              f"TVM min {min(best['theirs']) / 1e6:.3f} ms, median {statistics.median(every['theirs']) / 1e6:.3f} ms; "
              f"ratio of minima {min(best['ours']) / min(best['theirs']):.3f}, median ratio of pairs {ratio:.3f} (goal <= 1.03)")
        ours.close()
        theirs.close()


def decode(options, runtime, folder):
    """One token of a language model: its embedding, the plan of the pass, the pass, and the token popped again."""
    data = os.path.join(options.source, "tests", "data", "vm", "tvm027", "tiny_llama")
    steps = json.load(open(data + ".scenario.json"))["steps"]
    first = next(i for i, step in enumerate(steps) if step.get("func") == "decode") - 2
    steps = steps[:first + 4] + [{"global": "vm.builtin.kv_state_popn", "args": [{"ret": 0}, {"int": 0}, {"int": 1}]}]
    scenario = os.path.join(folder, "decode.json")
    with open(scenario, "w") as file:
        json.dump({"steps": steps}, file)
    case = {"name": "tiny_llama", "so": data + ".so", "scenario": scenario, "npz": data + ".npz"}
    workers = [Worker(options.worker(side), case, 1, runtime) for side in ("opscope", "tvm")]
    for worker in workers:
        worker.ask(f"from {first}")
    ours, theirs = workers
    best, every = interleave({"ours": lambda n=50: ours.time(n), "theirs": lambda n=50: theirs.time(n)}, options.pairs * 2, 200)
    ratio = statistics.median(a / b for a, b in zip(best["ours"], best["theirs"]))
    print(f"tiny_llama, a decode step: ours min {min(best['ours']) / 1e3:.1f} us, median {statistics.median(every['ours']) / 1e3:.1f} us; "
          f"TVM min {min(best['theirs']) / 1e3:.1f} us, median {statistics.median(every['theirs']) / 1e3:.1f} us; "
          f"ratio of minima {min(best['ours']) / min(best['theirs']):.3f}, median ratio of pairs {ratio:.3f} (goal <= 0.90)")
    for worker in workers:
        worker.close()


def find_cases(source, models):
    data = os.path.join(source, "tests", "data", "vm", "tvm027")
    listing = open(os.path.join(data, "chain.listing.txt")).read().splitlines()
    instructions = sum(1 for line in listing if line.split() and line.split()[0] in ("call", "ret", "goto", "if"))
    cases = {"chain": {"name": "chain", "so": f"{data}/chain.so", "scenario": f"{data}/chain.scenario.json",
                       "npz": f"{data}/chain.npz", "instructions": instructions}}
    for folder in sorted(glob.glob(os.path.join(models, "*", ""))) if models else []:
        scenario = os.path.join(folder, "scenario.json")
        if not os.path.exists(scenario):
            continue
        for so in sorted(glob.glob(os.path.join(folder, "*.so"))):
            name = os.path.basename(so)[:-3]
            cases[name] = {"name": name, "so": so, "scenario": scenario, "npz": so[:-3] + ".npz"}
    return cases


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", required=True, help="folder of the two worker programs")
    parser.add_argument("--tvm", required=True, help="virtual environment with apache-tvm 0.27")
    parser.add_argument("--models", help="folder of models: MODEL/scenario.json, MODEL/*.so, MODEL/*.npz")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--quick", action="store_true", help="fewer pairs")
    parser.add_argument("--instructions", action="store_true",
                        help="count machine instructions of the chain with valgrind instead of taking times")
    options = parser.parse_args()
    options.pairs = 5 if options.quick else 15
    options.worker = lambda side: os.path.join(options.workers, f"bench_worker_{side}")
    source = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    options.source = source
    options.cases = find_cases(source, options.models)
    runtimes = glob.glob(os.path.join(options.tvm, "lib", "python3*", "site-packages", "tvm", "lib", "libtvm_runtime.so"))
    if not runtimes:
        raise SystemExit(f"TVM's runtime is not in {options.tvm}: run packaging/setup.sh --tests")
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.2f}, {options.threads} threads for models, {options.pairs} pairs")
    if options.instructions:
        instructions(options, runtimes[0])
        return
    per_instruction(options, runtimes[0])
    with tempfile.TemporaryDirectory() as folder:
        decode(options, runtimes[0], folder)
        opening.compare(options.workers, os.path.join(options.tvm, "bin", "python"), runtimes[0], source, folder,
                        options.pairs)
    latency(options, runtimes[0])


if __name__ == "__main__":
    sys.exit(main())
