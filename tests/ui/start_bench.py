#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long the program takes from its start to the first painted window, offscreen, each time with the settings and the
store of someone who uses it.

    start_bench.py OPSCOPE [STARTS]

The program tells when it has painted (OPSCOPE_TELL_PAINTED) and ends then.
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

GOAL_MS = 500


def main():
    opscope = sys.argv[1]
    starts = int(sys.argv[2]) if len(sys.argv) > 2 else 15
    times = []
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, QT_QPA_PLATFORM="offscreen", OPSCOPE_TELL_PAINTED="1", XDG_RUNTIME_DIR=folder,
                           XDG_CONFIG_HOME=folder + "/config", XDG_DATA_HOME=folder + "/data",
                           XDG_CACHE_HOME=folder + "/cache")
        for start in range(starts + 1):
            begin = time.perf_counter()
            with subprocess.Popen([opscope], env=environment, stdout=subprocess.PIPE, text=True) as program:
                line = program.stdout.readline()
                painted = time.perf_counter()
            if line.strip() != "painted" or program.returncode != 0:
                sys.exit(f"start_bench: the program told '{line.strip()}' and ended with {program.returncode}")
            # The first start makes the store and the cache of fonts.
            if start > 0:
                times.append((painted - begin) * 1000)
    print(f"start to first paint, {starts} starts: median {statistics.median(times):.0f} ms, "
          f"minimum {min(times):.0f} ms, maximum {max(times):.0f} ms (goal {GOAL_MS} ms)")


if __name__ == "__main__":
    main()
