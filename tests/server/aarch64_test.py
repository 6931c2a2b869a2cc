# SPDX-License-Identifier: Apache-2.0
"""The cross-built server, run by qemu: it starts, serves sessions in processes of their own, and ends."""

import collections
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

import wire
from server_case import DATA, LIBRARY, ServerCase, wait_for
from wire import Lost, RemoteError


class OnABoard(ServerCase):
    # qemu runs one process; those that the server starts need it in front of them too.
    OPTIONS = ("--wrapper", os.environ["OPSCOPE_SERVER_RUNNER"])

    def test_it_is_another_architecture(self):
        with self.client(timeout=60) as board:
            info = json.loads(board.call("opscope.server_info"))
            self.assertEqual(info["architecture"], "aarch64")
            self.assertGreater(info["memory"]["total_bytes"], 0)
            with self.assertRaisesRegex(RemoteError, "x86-64"):
                board.load(DATA / "vm" / "tvm027" / "chain.so", "chain.so")

    def test_values_tensors_and_files(self):
        with self.client(timeout=60) as board:
            library = board.load(LIBRARY)
            echo = board.member(library, "echo")
            for value in (None, True, -5, 2.5, "text", "a longer text than seven", b"\0\1" * 100):
                self.assertEqual(board.invoke(echo, value), value)
            with self.assertRaisesRegex(RemoteError, "boom"):
                board.invoke(board.member(library, "fail"))
            data = struct.pack("<1000f", *range(1000))
            view = board.allocate((1000,))
            board.copy_to(view, data)
            self.assertEqual(board.copy_from(view, 4000), data)
            self.assertEqual(board.call("tvm.rpc.server.download", "library.so"), open_bytes(LIBRARY))

    def test_a_kernel_is_timed(self):
        with self.client(timeout=60) as board:
            library = board.load(LIBRARY)
            timed = board.call("runtime.RPCTimeEvaluator", library, "sleep", 1, 0, 2, 3, 0, 0, 0, 1, 0, "")
            seconds = struct.unpack("<3d", board.invoke(timed, 0.01))
            self.assertGreaterEqual(min(seconds), 0.01)

    def test_it_survives_a_crash_and_a_timeout(self):
        board = self.client(timeout=60)
        crash = board.member(board.load(LIBRARY), "crash")
        self.assertRaises(Lost, board.invoke, crash)
        late = self.client(options=" -timeout=1", timeout=60)
        with self.assertRaisesRegex(RemoteError, "^RPCSessionTimeoutError"):
            late.reply()
        self.assertTrue(wait_for(lambda: not self.server.sessions()))
        self.test_it_is_another_architecture()


MODELS = DATA / "vm" / "aarch64"


def floats(path, key):
    with zipfile.ZipFile(path) as archive:
        content = archive.read(key + ".npy")
    data = content[10 + struct.unpack_from("<H", content, 8)[0]:]
    return struct.unpack(f"<{len(data) // 4}f", data)


class Models(ServerCase):
    """Executables for this architecture: values and profiles, by our command line and by a client that knows only the protocol."""

    OPTIONS = OnABoard.OPTIONS

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def cli(self, command, model, *words):
        done = subprocess.run([os.environ["OPSCOPE_CLI"], command, MODELS / model, "--target", f"rpc://127.0.0.1:{self.server.port}",
                               "--quiet", *map(str, words)], capture_output=True, text=True, timeout=200)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def assert_near(self, found, expected):
        self.assertEqual(len(found), len(expected))
        for one, other in zip(found, expected):
            self.assertAlmostEqual(one, other, delta=1e-3 + 1e-4 * abs(other))

    def test_values(self):
        self.cli("run", "net.so", "--input", f"x=@{MODELS / 'net.npz'}:x", "--outputs", self.folder / "net.npz")
        self.assert_near(floats(self.folder / "net.npz", "out"), floats(MODELS / "net.npz", "out"))
        vm = DATA / "vm"
        self.cli("run", "mlp.so", "--scenario", vm / "tvm027" / "mlp.scenario.json", "--inputs", vm / "mlp_inputs.npz",
                 "--outputs", self.folder / "mlp.npz")
        self.assert_near(floats(self.folder / "mlp.npz", "out"), floats(vm / "tvm027" / "mlp.npz", "out"))

    def test_every_call_is_profiled(self):
        samples = self.folder / "samples.json"
        self.cli("profile", "net.so", "--dim", "n=3", "--repeat", 3, "--samples", samples)
        run = json.loads(samples.read_text())
        self.assertEqual(run["remote"]["way"], "recorder")
        self.assertIn({"name": "Architecture", "value": "aarch64"}, run["remote"]["board"])
        # The model has no branches: a repeat calls each kernel as often as the bytecode does.
        inspected = json.loads(subprocess.run([os.environ["OPSCOPE_CLI"], "inspect", MODELS / "net.so", "--json"],
                                              capture_output=True, text=True, check=True, timeout=200).stdout)
        (function,) = inspected["functions"]
        self.assertEqual(len(run["calls"]), function["kernel_calls"] + function["builtin_calls"])
        self.assertEqual({len(call["ownNs"]) for call in run["calls"]}, {3})
        called = collections.Counter(run["names"][call["name"]] for call in run["calls"] if call["kernel"])
        self.assertEqual(called, {kernel["name"]: kernel["call_sites"] for kernel in inspected["kernels"]})

    def test_calls_are_dumped_by_the_probe_for_this_architecture(self):
        dump = self.folder / "dump.npz"
        self.cli("run", "net.so", "--input", f"x=@{MODELS / 'net.npz'}:x", "--dump", dump)
        with zipfile.ZipFile(dump) as archive:
            names = archive.namelist()
        self.assertGreater(len(names), 3, names)
        last = sorted(names, key=lambda name: int(name.split("/")[0]))[-1]
        self.assert_near(floats(dump, last.removesuffix(".npy")), floats(MODELS / "net.npz", "out"))

    def test_a_client_that_knows_only_the_protocol(self):
        client = pathlib.Path(__file__).parent.parent / "peer" / "raw_client.py"
        done = subprocess.run([sys.executable, "-B", client, "client", "127.0.0.1", str(self.server.port), "--so", MODELS / "mlp.so"],
                              capture_output=True, text=True, timeout=200)
        lines = done.stdout.splitlines()
        self.assertEqual([line for line in lines if line.startswith("FAIL ") or "exception:" in line], [], done.stdout + done.stderr)
        self.assertGreaterEqual(len([line for line in lines if line.startswith("PASS ")]), 18, done.stdout)


def open_bytes(path):
    with open(path, "rb") as file:
        return file.read()


if __name__ == "__main__":
    unittest.main()
