# SPDX-License-Identifier: Apache-2.0
"""The cross-built server, run by qemu: it starts, serves sessions in processes of their own, and ends."""

import json
import os
import struct
import unittest

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


def open_bytes(path):
    with open(path, "rb") as file:
        return file.read()


if __name__ == "__main__":
    unittest.main()
