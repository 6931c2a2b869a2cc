# SPDX-License-Identifier: Apache-2.0
"""What a board must give, whoever serves it: the values and the calls of a local run."""

import collections
import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import time

import numpy

CLI = os.environ["OPSCOPE_CLI"]
FIXTURES = pathlib.Path(os.environ["OPSCOPE_FIXTURES"])


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_until_it_listens(port, process, seconds=60.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            raise AssertionError(f"the server ended with {process.returncode}")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError(f"nothing listens on {port}")


class Started:
    """A process of a server's, with all its children a group of its own, ended by its id."""

    def __init__(self, words, port, probe=True):
        self.port = port
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(words, stdout=self.log, stderr=subprocess.STDOUT, start_new_session=True)
        if probe:
            wait_until_it_listens(port, self.process)

    def end(self):
        try:
            os.killpg(self.process.pid, signal.SIGTERM)
            self.process.wait(10)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.log.close()


def cli(*words, timeout=300, check=True):
    done = subprocess.run([CLI, *map(str, words)], capture_output=True, text=True, timeout=timeout)
    if check and done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words))}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def case_of(library):
    """FILE and the options of its scenario, where one lies beside it."""
    words = [library]
    scenario = library.with_suffix(".scenario.json")
    if scenario.exists():
        words += ["--scenario", scenario]
        if library.with_suffix(".npz").exists():
            words += ["--inputs", library.with_suffix(".npz")]
    return words


def outputs_of(words, folder, name, *more):
    path = pathlib.Path(folder) / f"{name}.npz"
    cli("run", *words, "--outputs", path, *more)
    with numpy.load(path) as arrays:
        return {key: arrays[key] for key in arrays.files}


def same_outputs(here, there):
    """Nothing, or what differs in words."""
    if here.keys() != there.keys():
        return f"{sorted(here)} here, {sorted(there)} there"
    for key, value in here.items():
        if value.shape != there[key].shape or value.dtype != there[key].dtype:
            return f"{key} is {value.dtype} {value.shape} here, {there[key].dtype} {there[key].shape} there"
        if not numpy.allclose(value, there[key], rtol=1e-3, atol=1e-4, equal_nan=True):
            return f"{key} has other values"
    return ""


def samples_of(words, folder, name, *more):
    path = pathlib.Path(folder) / f"{name}.json"
    cli("profile", *words, "--repeat", 3, "--quiet", "--samples", path, *more)
    return json.loads(path.read_text())


def calls_of(samples, kernels_only=False):
    """How often each op is called with which shapes, of the calls that a report lists."""
    counts = collections.Counter()
    for call in samples["calls"]:
        if call["inReport"] and (call["kernel"] or not kernels_only):
            shapes = call.get("shapes")
            counts[samples["names"][call["name"]], "" if shapes is None else samples["shapes"][shapes]] += 1
    return counts



def order_of(samples):
    """Each call with its shapes, its depth and the place that makes it, in order."""
    return [(samples["names"][call["name"]], None if call.get("shapes") is None else samples["shapes"][call["shapes"]],
             call.get("depth"), call.get("instruction"), call["inReport"]) for call in samples["calls"]]
