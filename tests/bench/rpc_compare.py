#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Our RPC client and server against TVM 0.27's on this computer, turn by turn: connect, empty call, copies, upload.

The sides are `ours` (our client, TVM's server), `tvm` (TVM's pair), `both` (our client and server), `logged` (the same
with a log of the traffic, as profiles keep it) and `raw` (plain sockets between two of our workers). Medians of all turns are shown; goals stand beside what they are about.
"""
import argparse
import os
import socket
import statistics
import subprocess
import sys
import time

SETTLE = 0.3  # seconds


class Worker:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit(f"a worker ended early at {words} (status {self.process.wait()})")
        return int(answer)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(command, port):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    for _ in range(1200):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
            return process
        except OSError:
            time.sleep(0.1)
    raise SystemExit(f"{command[0]} does not listen")


def end(process):
    try:
        os.killpg(process.pid, 15)
        process.wait(timeout=5)
    except (ProcessLookupError, subprocess.TimeoutExpired):
        os.killpg(process.pid, 9)
        process.wait()


class Bench:
    def __init__(self, options):
        self.options = options
        python = os.path.join(options.tvm, "bin", "python")
        self.ports = {"stock": free_port()}
        self.servers = [start([python, "-m", "tvm.exec.rpc_server", "--host", "127.0.0.1", "--port",
                               str(self.ports["stock"]), "--port-end", str(self.ports["stock"] + 1)],
                              self.ports["stock"])]
        self.sides = {"ours": "stock", "tvm": "stock"}
        if os.path.exists(options.server):
            self.ports["opscope"] = free_port()
            self.servers.append(start([options.server, "--host", "127.0.0.1", "--port", str(self.ports["opscope"])],
                                      self.ports["opscope"]))
            self.sides["both"] = "opscope"
            self.sides["logged"] = "opscope"
        tvm = Worker([python, "-B", os.path.join(os.path.dirname(os.path.abspath(__file__)), "rpc_worker_tvm.py")])
        self.workers = {side: tvm if side == "tvm" else Worker([options.worker] + ["--log"] * (side == "logged"))
                        for side in self.sides}
        self.raw, self.raw_server = Worker([options.worker]), Worker([options.worker])
        self.raw_port = self.raw_server.ask("rawserve")

    def close(self):
        for worker in [*self.workers.values(), self.raw, self.raw_server]:
            worker.close()
        for server in self.servers:
            end(server)

    def turn(self, side, name, words):
        """One session: TVM's server takes one at a time."""
        worker = self.workers[side]
        took = worker.ask("connect", self.ports[self.sides[side]])
        if name != "connect":
            took = worker.ask(name, *words)
        worker.ask("close")
        time.sleep(SETTLE)  # TVM's server ends a session's process before it takes the next
        return took

    def measure(self, name, *words, turns, raw=None):
        times = {side: [] for side in self.sides}
        if raw:
            times["raw"] = []
        for turn in range(turns):
            order = list(times) if turn % 2 == 0 else list(reversed(list(times)))
            for side in order:
                times[side].append(self.raw.ask(raw, self.raw_port, *words) if side == "raw"
                                   else self.turn(side, name, words))
        return {side: statistics.median(every) for side, every in times.items()}


def show(label, medians, unit, goals):
    """`goals`: (name, ratio, sense, limit); a missing side is passed over."""
    print(f"{label:16}" + "  ".join(f"{side} {unit(ns):>12}" for side, ns in medians.items()))
    for above, below, sense, limit in goals:
        if above in medians and below in medians:
            ratio = medians[above] / medians[below]
            good = ratio <= limit if sense == "at most" else ratio >= limit
            print(f"{'':16}{above} / {below} {ratio:.2f}, goal {sense} {limit}{'' if good else '   MISSED'}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--worker", required=True)
    parser.add_argument("--server", required=True, help="our server; left out when it is not there")
    parser.add_argument("--tvm", required=True, help="the environment with TVM")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    bench = Bench(options)
    turns = 3 if options.quick else 9
    calls = 2000
    try:
        show("connect", bench.measure("connect", turns=3 * turns), lambda ns: f"{ns / 1e6:.2f} ms",
             [("both", "tvm", "at most", 0.3)])
        show("empty call", bench.measure("call", calls, turns=turns, raw="rawping"),
             lambda ns: f"{ns / calls / 1e3:.1f} us", [("ours", "tvm", "at most", 1.15), ("both", "tvm", "at most", 1.15),
                                                        ("logged", "tvm", "at most", 1.15), ("both", "raw", "at most", 1.5)])
        for mib in (1, 16) if options.quick else (1, 16, 256):
            rate = lambda ns, mib=mib: f"{mib / (ns / 1e9):.0f} MiB/s"
            many = 3 * turns if mib == 1 else turns if mib == 16 else 3
            pair = 15 if mib == 1 else 8
            for name in ("to", "from"):
                show(f"{name} {mib} MiB", bench.measure(name, mib, turns=many, raw="rawstream" if name == "to" else None),
                     rate, [("tvm", "ours", "at least", 1.4 if mib == 1 else 1.8), ("tvm", "both", "at least", pair),
                            ("raw", "both", "at least", 0.5)])
            show(f"upload {mib} MiB", bench.measure("upload", mib, turns=many), rate, [("tvm", "ours", "at least", 1.2)])
    finally:
        bench.close()


if __name__ == "__main__":
    sys.exit(main())
