#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every scenario below the given folders with opscope-cli and compares the results with the arrays beside it.

A case is NAME.scenario.json with NAME.so and NAME.npz, or scenario.json with libraries that have an .npz of their own
name. Needs numpy. Prints one line a case; ends with 1 when one differs.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy

# Random numbers in [0, 1) on top of this input: only shape and range can be held.
RANDOM = {"rnd": "in/0"}
# Raises inside of a parallel loop, which must be told.
RAISES = {"parfail": "proto.fail"}
# Libraries of the user's own functions are needed by these.
NEEDS_PLUGIN = {"dpspacked", "kernelcall", "parfail"}


def find_cases(folder):
    """(name, library, scenario, arrays) of every case below `folder`."""
    for scenario in sorted(folder.rglob("*scenario.json")):
        if scenario.name == "scenario.json":
            libraries = sorted(scenario.parent.glob("*.so"))
        else:
            libraries = [scenario.with_name(scenario.name.removesuffix(".scenario.json") + ".so")]
        for library in libraries:
            arrays = library.with_suffix(".npz")
            if library.exists() and arrays.exists():
                yield library.stem, library, scenario, arrays


def wanted_keys(value):
    """Every array that a scenario's arguments name."""
    if isinstance(value, dict):
        if "npz" in value:
            yield value["npz"]
        for name, member in value.items():
            if name == "tuple":
                yield from (key for key in member if isinstance(key, str))
            yield from wanted_keys(member)
    elif isinstance(value, list):
        for member in value:
            yield from wanted_keys(member)


def complete_arrays(scenario, arrays, scratch):
    """The file for --inputs: `arrays`, or a copy with the inputs that several cases share (mlp_inputs.npz)."""
    given = dict(numpy.load(arrays))
    missing = [key for key in wanted_keys(json.loads(scenario.read_text())) if key not in given]
    common = arrays.parent.parent / "mlp_inputs.npz"
    if not missing or not common.exists():
        return arrays
    numpy.savez(scratch / "inputs.npz", **{**numpy.load(common), **given})
    return scratch / "inputs.npz"


def difference(name, expected, written, exact):
    """What differs, or None."""
    keys = [key for key in expected if key == "out" or key.startswith("out/")]
    missing = sorted(set(keys) - set(written))
    if missing:
        return f"{', '.join(missing)} missing; written: {', '.join(written)}"
    for key in keys:
        is_value, should = written[key], expected[key]
        if is_value.shape != should.shape or is_value.dtype != should.dtype:
            return f"{key} is {is_value.dtype}{is_value.shape}, not {should.dtype}{should.shape}"
        if name in RANDOM:
            added = is_value - expected[RANDOM[name]]
            if added.min() < -1e-6 or added.max() > 1 + 1e-6 or added.min() == added.max():
                return f"{key} is not random in [0, 1)"
        elif exact:
            if is_value.tobytes() != should.tobytes():
                return f"{key} differs"
        elif not numpy.allclose(is_value.astype("float64"), should.astype("float64"), rtol=1e-3, atol=1e-4,
                                equal_nan=True):
            worst = numpy.abs(is_value.astype("float64") - should.astype("float64")).max()
            return f"{key} differs by up to {worst:g}"
    return None


def check(case, options):
    """(outcome, text) of one case."""
    name, library, scenario, arrays = case
    if name in NEEDS_PLUGIN and not options.plugin:
        return "skipped", "needs --plugin"
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        command = [options.cli, "run", library, "--scenario", scenario, "--outputs", scratch / "out.npz", "--quiet",
                   "--inputs", complete_arrays(scenario, arrays, scratch)]
        if options.plugin:
            command += ["--plugin", options.plugin]
        done = subprocess.run(command, capture_output=True, text=True, timeout=options.timeout)
        if name in RAISES:
            told = done.returncode == 1 and RAISES[name] in done.stderr
            return ("ok", "raises as it should") if told else ("WRONG", f"status {done.returncode}: {done.stderr}")
        if done.returncode != 0:
            return "WRONG", f"status {done.returncode}: {done.stderr}"
        problem = difference(name, dict(numpy.load(arrays)), dict(numpy.load(scratch / "out.npz")), options.exact)
        return ("WRONG", problem) if problem else ("ok", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--cli", required=True, help="the built opscope-cli")
    parser.add_argument("--plugin", help="library with proto.dps_add, proto.add_ret, proto.fail")
    parser.add_argument("--exact", action="store_true", help="compare bit for bit")
    parser.add_argument("--skip", action="append", default=[], help="folder or case to leave out")
    parser.add_argument("--timeout", type=float, default=300)
    options = parser.parse_args()
    counts = {"ok": 0, "WRONG": 0, "skipped": 0}
    for folder in options.folders:
        for case in find_cases(folder):
            if any(part in options.skip for part in (case[0], *case[1].parts)):
                continue
            outcome, text = check(case, options)
            counts[outcome] += 1
            print(f"{outcome:8}{case[1].parent.name}/{case[0]}  {text}".rstrip(), flush=True)
    print(", ".join(f"{count} {outcome}" for outcome, count in counts.items()))
    return 1 if counts["WRONG"] or not counts["ok"] else 0


if __name__ == "__main__":
    sys.exit(main())
