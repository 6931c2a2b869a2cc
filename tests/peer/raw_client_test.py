# SPDX-License-Identifier: Apache-2.0
"""raw_client.py, which shares nothing with us but the protocol, against opscope-server: directly and through TVM's tracker."""
import json
import os
import signal
import pathlib
import socket
import struct
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.environ["OPSCOPE_SERVER_TESTS"])
from server_case import DATA, Server  # noqa: E402

CLIENT = pathlib.Path(__file__).with_name("raw_client.py")
MODEL = DATA / "vm" / "tvm027" / "mlp.so"
STEPS = 18


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


def free_boards(port, key):
    """What a tracker has; None while it does not listen."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=10) as tracker:
            tracker.sendall(struct.pack("<i", 0x2F271))
            tracker.recv(4, socket.MSG_WAITALL)
            tracker.sendall(struct.pack("<i", 3) + b"[6]")
            size = struct.unpack("<i", tracker.recv(4, socket.MSG_WAITALL))[0]
            answer = json.loads(tracker.recv(size, socket.MSG_WAITALL))
            return answer[1]["queue_info"].get(key, {}).get("free", 0)
    except OSError:
        return None


class RawClient(unittest.TestCase):
    def walk(self, *words):
        done = subprocess.run([sys.executable, "-B", str(CLIENT), *map(str, words), "--so", str(MODEL)], timeout=120,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        lines = [line for line in done.stdout.splitlines() if line.startswith(("PASS ", "FAIL "))]
        self.assertEqual([line for line in lines if line.startswith("FAIL ")], [])
        direct = [line for line in lines if line.startswith("PASS VM direct call")]
        self.assertEqual(len(direct), 1, done.stdout)
        self.assertNotIn("exception:", direct[0])
        return lines

    def serve(self, *options):
        server = Server(*options)
        self.addCleanup(lambda: self.assertEqual(server.end(), 0))
        return server

    def test_directly(self):
        server = self.serve()
        for _ in range(2):
            self.assertEqual(len(self.walk("client", "127.0.0.1", server.port)), STEPS + 1)  # and the time evaluator

    def test_through_a_tracker(self):
        port = free_port()
        tracker = subprocess.Popen([sys.executable, "-m", "tvm.exec.rpc_tracker", "--host", "127.0.0.1", "--port", str(port),
                                    "--port-end", str(port + 1)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   start_new_session=True)
        self.addCleanup(tracker.wait)
        self.addCleanup(os.killpg, tracker.pid, signal.SIGKILL)  # it works in a process of its own
        self.serve("--key", "board", "--tracker", f"127.0.0.1:{port}")
        end = time.monotonic() + 60
        while free_boards(port, "board") != 1:
            self.assertLess(time.monotonic(), end, "the server does not register")
            time.sleep(0.1)
        for _ in range(2):
            self.assertEqual(len(self.walk("tracker", "127.0.0.1", port, "board")), STEPS + 1)  # and the board's return


if __name__ == "__main__":
    unittest.main()
