# SPDX-License-Identifier: Apache-2.0
"""Two hundred clients that connect, run something and are killed: the server keeps nothing of them."""

import os
import pathlib
import signal
import subprocess
import sys
import unittest

from server_case import DATA, LIBRARY, ServerCase, children_of, wait_for

CYCLES = int(os.environ.get("OPSCOPE_CYCLES", "200"))
# A client in a process of its own; how it ends depends on its number.
PROGRAM = """
import os, signal, struct, sys
sys.path.insert(0, sys.argv[1])
import wire
board = wire.Client(int(sys.argv[2]))
model = board.load(sys.argv[3], "model.so")
vm = board.invoke(board.member(model, "vm_load_executable"))
board.invoke(board.member(vm, "vm_initialization"), 1, 0, 2)
view = board.allocate((16,))
board.copy_to(view, bytes(64))
board.copy_from(board.invoke(board.member(vm, "main"), view), 64)
number = int(sys.argv[5])
if number % 4 == 1:  # inside of an upload
    board.socket.sendall(struct.pack("<QiQ", 5_000_000, wire.CALL, 5) + bytes(100_000))
if number % 4 == 2:  # with a reply unread
    board.send(wire.CALL, struct.pack("<Q", board.function("opscope.server_info").handle) + wire.sequence([]))
if number % 20 == 3:  # inside of a kernel
    sleep = board.member(board.load(sys.argv[4]), "sleep")
    board.send(wire.CALL, struct.pack("<Q", sleep.handle) + wire.sequence([2]))
print("ready", flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


class Cycles(ServerCase):
    OPTIONS = ("--max-sessions", "20")

    def figures(self):
        """(descriptors, resident pages, children) of the server."""
        process = self.server.process.pid
        resident = int(pathlib.Path(f"/proc/{process}/statm").read_text().split()[1])
        return len(os.listdir(f"/proc/{process}/fd")), resident, len(children_of(process))

    def cycle(self, number):
        done = subprocess.run([sys.executable, "-B", "-c", PROGRAM, str(pathlib.Path(__file__).parent),
                               str(self.server.port), str(DATA / "vm" / "tvm027" / "chain.so"), LIBRARY, str(number)],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual((done.stdout, done.returncode), ("ready\n", -signal.SIGKILL), done.stderr)

    def settle(self):
        self.assertTrue(wait_for(lambda: not self.server.sessions() and len(children_of(self.server.process.pid)) == 2, 20))

    def test_nothing_is_kept(self):
        for number in range(10):
            self.cycle(number)
        self.settle()
        before = self.figures()
        for number in range(CYCLES):
            self.cycle(number)
        self.settle()
        after = self.figures()
        self.assertEqual(after[0], before[0], "descriptors are left")
        self.assertEqual(after[2], before[2], "processes are left")
        self.assertLess((after[1] - before[1]) * os.sysconf("SC_PAGESIZE"), 2 << 20, "memory is left")
        self.assertEqual([path.name for path in next(self.server.work.iterdir()).iterdir()], ["lock"])
        self.assert_server_answers()


if __name__ == "__main__":
    unittest.main()
