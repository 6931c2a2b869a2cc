#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""TVM's own Python client against opscope-server, directly and through TVM's tracker: what works against TVM's server works
here, with the same values."""
import gc
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import numpy
import tvm
from tvm import relax, rpc

sys.path.insert(0, os.environ["OPSCOPE_SERVER_TESTS"])
from server_case import DATA, LIBRARY, Server, wait_for  # noqa: E402

SHAPES = [(1, 784), (256, 784), (256,), (10, 256), (10,)]


def free_port():
    import socket
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


class Walk:
    """What a client does; subclasses say how it gets its session."""

    def setUp(self):
        self.session = self.connect()
        self.device = self.session.cpu()

    def tearDown(self):
        del self.session, self.device
        # What an expected exception's traceback holds would keep the session, and a tracker's board with it.
        gc.collect()

    def library(self):
        self.session.upload(LIBRARY, "library.so")
        return self.session.load_module("library.so")

    def test_values_of_every_kind(self):
        echo = self.library()["echo"]
        for value in (None, True, False, 0, -5, 2**62, 1.5, float("inf"), "", "short", "a longer string " * 100, "ümläut"):
            self.assertEqual(echo(value), value)
        for value in (b"", b"\0\1", b"longer than seven\0" * 1000):
            self.assertEqual(bytes(echo(value)), value)
        self.assertEqual(str(echo(tvm.DataType("float16"))), "float16")
        self.assertTrue(numpy.isnan(echo(float("nan"))))

    def test_exceptions_and_what_is_missing(self):
        module = self.library()
        with self.assertRaisesRegex(Exception, "boom"):
            module["fail"]()
        with self.assertRaises(Exception):
            module["none_such"]
        with self.assertRaises(Exception):
            self.session.get_function("none.such")()
        with self.assertRaisesRegex(Exception, "Cannot read"):
            self.session.load_module("none.so")
        self.assertEqual(module["echo"](1), 1)

    def test_files(self):
        content = bytearray(os.urandom(100_000))
        self.session.upload(content, "file.bin")
        self.assertEqual(self.session.download("file.bin"), content)
        self.assertIn("file.bin", self.session.listdir("."))
        self.session.remove("file.bin")
        with self.assertRaises(Exception):
            self.session.download("file.bin")

    def test_tensors(self):
        for dtype in ("float32", "int8", "uint64", "float16", "bool"):
            values = (numpy.random.default_rng(0).random((7, 3, 2)) * 100).astype(dtype)
            remote = tvm.runtime.tensor(values, self.device)
            numpy.testing.assert_array_equal(remote.numpy(), values)
            other = tvm.runtime.empty(values.shape, dtype, self.device)
            remote.copyto(other)
            numpy.testing.assert_array_equal(other.numpy(), values)
        large = numpy.arange(3_000_000, dtype="int32")
        numpy.testing.assert_array_equal(tvm.runtime.tensor(large, self.device).numpy(), large)
        with self.assertRaises(Exception):
            tvm.runtime.empty((1 << 40, 1 << 20), "float32", self.device)
        self.assertTrue(self.device.exist)
        self.assertFalse(self.session.cuda().exist)

    def machine(self):
        self.session.upload(str(DATA / "vm" / "tvm027" / "mlp.so"), "mlp.so")
        return relax.VirtualMachine(self.session.load_module("mlp.so"), self.device)

    def test_a_model_runs_and_is_timed(self):
        random = numpy.random.default_rng(1)
        x, w1, b1, w2, b2 = inputs = [random.random(shape, dtype="float32") - 0.5 for shape in SHAPES]
        expected = numpy.maximum(x @ w1.T + b1, 0) @ w2.T + b2
        machine = self.machine()
        tensors = [tvm.runtime.tensor(value, self.device) for value in inputs]
        machine.set_input("forward", *tensors)
        machine.invoke_stateful("forward")
        numpy.testing.assert_allclose(machine.get_outputs("forward").numpy(), expected, rtol=1e-3, atol=1e-4)
        numpy.testing.assert_allclose(machine["forward"](*tensors).numpy(), expected, rtol=1e-3, atol=1e-4)
        machine.save_function("forward", "timed", *tensors)
        times = machine.time_evaluator("timed", self.device, number=3, repeat=4)()
        self.assertEqual(len(times.results), 4)
        self.assertGreater(min(times.results), 0)
        with self.assertRaises(Exception):
            machine["forward"](*tensors[:2])

    def test_objects_are_freed(self):
        machine = self.machine()
        for _ in range(50):
            tvm.runtime.empty((1000,), "float32", self.device)
            self.session.get_function("tvm.rpc.server.workpath")
        del machine
        names = self.session.get_function("ffi.FunctionListGlobalNamesFunctor")()
        self.assertGreater(names(-1), 200)


class Direct(Walk, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--key", "direct")

    @classmethod
    def tearDownClass(cls):
        assert cls.server.end() == 0

    def connect(self):
        return rpc.connect("127.0.0.1", self.server.port, key="direct")

    def test_wrong_keys_are_told(self):
        with self.assertRaisesRegex(Exception, "key"):
            rpc.connect("127.0.0.1", self.server.port, key="other")

    def test_a_session_times_out(self):
        session = rpc.connect("127.0.0.1", self.server.port, key="direct", session_timeout=1)
        session.upload(LIBRARY, "library.so")
        sleep = session.load_module("library.so")["sleep"]
        with self.assertRaisesRegex(Exception, "RPCSessionTimeoutError"):
            sleep(30)

    def test_several_sessions_at_once(self):
        others = [rpc.connect("127.0.0.1", self.server.port, key="direct") for _ in range(3)]
        for number, session in enumerate(others):
            session.upload(bytearray([number]), "file")
        self.assertEqual([session.download("file")[0] for session in others], [0, 1, 2])


class Secret(unittest.TestCase):
    def test_clients_of_tvm_are_refused(self):
        with tempfile.NamedTemporaryFile() as file:  # its owner's alone
            file.write(b"a secret of sixteen bytes or more")
            file.flush()
            server = Server("--secret-file", file.name)
        try:
            with self.assertRaisesRegex(Exception, "key"):
                rpc.connect("127.0.0.1", server.port)
        finally:
            self.assertEqual(server.end(), 0)


class ThroughTracker(Walk, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        port = free_port()
        cls.tracker_port = port
        cls.log = tempfile.TemporaryFile()
        cls.tracker = subprocess.Popen([sys.executable, "-m", "tvm.exec.rpc_tracker", "--host", "127.0.0.1", "--port",
                                        str(port), "--port-end", str(port + 1)], stdout=cls.log, stderr=cls.log,
                                       start_new_session=True)
        cls.server = Server("--key", "board", "--tracker", f"127.0.0.1:{port}")

    @classmethod
    def tearDownClass(cls):
        assert cls.server.end() == 0
        os.killpg(cls.tracker.pid, signal.SIGKILL)  # the tracker works in a process of its own
        cls.tracker.wait()
        cls.log.close()

    def tracker_session(self):
        last = None
        for _ in range(100):  # it may not listen yet
            try:
                return rpc.connect_tracker("127.0.0.1", self.tracker_port)
            except Exception as error:
                last = error
                time.sleep(0.1)
        raise last

    def connect(self):
        return self.tracker_session().request("board", session_timeout=60)

    def free(self):
        return self.tracker_session().summary()["queue_info"].get("board", {}).get("free", 0)

    def test_the_board_is_busy_and_comes_back(self):
        self.assertEqual(self.free(), 0)  # this test's session
        del self.session, self.device
        self.assertTrue(wait_for(lambda: self.free() == 1))
        with self.assertRaises(Exception):
            rpc.connect("127.0.0.1", self.server.port, key="board")
        self.session = self.connect()
        self.device = self.session.cpu()

    def test_a_crash_gives_the_board_back(self):
        crash = self.library()["crash"]
        with self.assertRaises(Exception):
            crash()
        del crash, self.session
        self.session = self.connect()
        self.device = self.session.cpu()


if __name__ == "__main__":
    print("TVM", tvm.__version__, file=sys.stderr)
    unittest.main()
