# SPDX-License-Identifier: Apache-2.0
"""Writes tests/data/statistics/values.json: samples and what numpy says of them. Needs numpy; run by hand."""

import json
import math
import pathlib

import numpy


def interval(ascending):
    """The narrowest pair of order statistics that holds the median with at least 95 %, in exact arithmetic."""
    count = len(ascending)
    rank, below = 0, 0
    while 40 * (below + math.comb(count, rank)) <= 2**count:
        below += math.comb(count, rank)
        rank += 1
    return [rank, ascending[rank - 1], ascending[count - rank]] if rank else [0, None, None]


def described(name, samples):
    ascending = sorted(samples)
    median = float(numpy.median(samples))
    entry = {"name": name, "samples": samples, "mean": float(numpy.mean(samples)), "median": median,
             "min": ascending[0], "max": ascending[-1],
             "mad": float(numpy.median(numpy.abs(numpy.array(samples) - median)))}
    for part in (5, 25, 75, 95, 99):
        entry[f"p{part}"] = float(numpy.percentile(samples, part))
    if len(samples) > 1:
        entry["std"] = float(numpy.std(samples, ddof=1))
        entry["noise"] = entry["std"] / entry["mean"]
    entry["rank"], entry["low"], entry["high"] = interval(ascending)
    return entry


def main():
    random = numpy.random.default_rng(20)
    sets = [described(f"lognormal {count}", [float(value) for value in random.lognormal(4, 0.5, count)])
            for count in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 30, 31, 100, 257)]
    sets.append(described("equal", [2.5] * 12))
    sets.append(described("ties", [1.0, 2.0, 2.0, 2.0, 3.0, 7.0, 7.0, 9.0]))
    sets.append(described("two levels", [87.0] * 18 + [63.0] * 12))
    path = pathlib.Path(__file__).parents[1] / "data/statistics/values.json"
    path.write_text(json.dumps({"numpy": numpy.__version__, "sets": sets}, indent=1) + "\n")


if __name__ == "__main__":
    main()
