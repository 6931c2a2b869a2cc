# SPDX-License-Identifier: Apache-2.0
"""Opening an executable with 12 MB of constants and making it ready: time and memory, ours against TVM's.

Used by compare.py; by itself, a file with as many constants as wanted is compared:
  opening.py WORKERS_FOLDER TVM_FOLDER [MEGABYTES]
"""
import glob
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


class Opener:
    def __init__(self, program, small, runtime):
        self.process = subprocess.Popen([program, small], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env=dict(os.environ, OPSCOPE_TVM_RUNTIME=runtime))
        if self._answer() != "ready":
            raise SystemExit(f"{program} did not get ready")

    def _answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"an opener ended early (status {self.process.wait()})")
        return line.strip()

    def ask(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return [int(word) for word in self._answer().split()]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def times(programs, small, big, runtime, pairs):
    """For each side, the time of every turn in ms, each in a process of its own: a process that opens the same again
    has memory at hand that a first opening must fetch. The turns alternate."""
    taken = {side: [] for side in programs}
    for pair in range(pairs):
        for side in list(programs) if pair % 2 == 0 else reversed(list(programs)):
            opener = Opener(programs[side], small, runtime)
            taken[side] += [ns / 1e6 for ns in opener.ask(f"open 1 {big}")]
            opener.close()
    return taken


def again(programs, small, big, runtime, pairs):
    """Told beside it: the same file opened again and again in one process."""
    openers = {side: Opener(program, small, runtime) for side, program in programs.items()}
    best = {side: [] for side in openers}
    for opener in openers.values():
        opener.ask(f"open 2 {big}")
    for _ in range(pairs):
        for side, opener in openers.items():
            best[side].append(min(opener.ask(f"open 3 {big}")) / 1e6)
    for opener in openers.values():
        opener.close()
    print(f"  again in the same process: ours min {min(best['opscope']):.2f} ms, TVM min {min(best['tvm']):.2f} ms, "
          f"ratio of minima {min(best['opscope']) / min(best['tvm']):.3f}")


def memory(programs, small, big, runtime):
    """For each side, in a process of its own: MiB that stay and MiB at most."""
    found = {}
    for side, program in programs.items():
        opener = Opener(program, small, runtime)
        found[side] = [kib / 1024 for kib in opener.ask(f"memory {big}")]
        opener.close()
    return found


def compare(workers, python, runtime, source, folder, pairs, megabytes=12):
    """Prints the comparison; gives (ratio of times, memory by side)."""
    programs = {side: os.path.join(workers, f"bench_opener_{side}") for side in ("opscope", "tvm")}
    small = os.path.join(source, "tests", "data", "vm", "tvm027", "chain.so")
    big = os.path.join(folder, "big.so")
    subprocess.run([python, os.path.join(HERE, "big_constants.py"), big, str(megabytes)], check=True)
    taken = times(programs, small, big, runtime, pairs)
    ours, theirs = taken["opscope"], taken["tvm"]
    ratio = statistics.median(a / b for a, b in zip(ours, theirs))
    print(f"opening {megabytes} MB of constants: ours min {min(ours):.2f} ms, median {statistics.median(ours):.2f} ms; "
          f"TVM min {min(theirs):.2f} ms, median {statistics.median(theirs):.2f} ms; "
          f"ratio of minima {min(ours) / min(theirs):.3f}, median ratio of pairs {ratio:.3f} (goal <= 0.70)")
    again(programs, small, big, runtime, pairs)
    used = memory(programs, small, big, runtime)
    for side, (stays, most) in used.items():
        print(f"  memory of {side}: {stays:.1f} MiB stay, {most:.1f} MiB at most")
    return ratio, used


def main():
    workers, tvm = sys.argv[1:3]
    megabytes = int(sys.argv[3]) if len(sys.argv) > 3 else 12
    runtime = glob.glob(os.path.join(tvm, "lib", "python3*", "site-packages", "tvm", "lib", "libtvm_runtime.so"))[0]
    with tempfile.TemporaryDirectory() as folder:
        compare(workers, os.path.join(tvm, "bin", "python"), runtime, os.path.dirname(os.path.dirname(HERE)), folder, 15,
                megabytes)


if __name__ == "__main__":
    main()
