#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""TVM 0.21's own Python client against opscope-server --client-abi 0.21; run by run_with_tvm.sh."""
import os
import sys
import unittest

import numpy
import tvm
from tvm import relax, rpc

sys.path.insert(0, os.environ["OPSCOPE_SERVER_TESTS"])
from server_case import DATA, Server  # noqa: E402


class Client021(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--client-abi", "0.21")

    @classmethod
    def tearDownClass(cls):
        assert cls.server.end() == 0

    def setUp(self):
        self.session = rpc.connect("127.0.0.1", self.server.port)
        self.device = self.session.cpu()

    def test_tensors_and_files(self):
        values = numpy.arange(1000, dtype="float32").reshape(10, 100)
        for _ in range(3):
            remote = tvm.nd.array(values, self.device)
            numpy.testing.assert_array_equal(remote.numpy(), values)
        self.session.upload(bytearray(b"some bytes that are longer"), "file")
        self.assertEqual(bytes(self.session.download("file")), b"some bytes that are longer")

    def test_its_own_executables_run_and_are_profiled(self):
        path = str(DATA / "vm" / "tvm021" / "chain21.so")
        self.session.upload(path)
        module = self.session.load_module("chain21.so")
        machine = relax.VirtualMachine(module, self.device)
        values = numpy.arange(16, dtype="float32")
        local = relax.VirtualMachine(tvm.runtime.load_module(path), tvm.cpu())["main"](tvm.nd.array(values))
        remote = tvm.nd.array(values, self.device)
        machine.set_input("main", remote)
        machine.invoke_stateful("main")
        for _ in range(3):  # each result is freed by the address of its data
            numpy.testing.assert_array_equal(machine.get_outputs("main").numpy(), local.numpy())
        report = relax.VirtualMachine(module, self.device, profile=True).profile("main", remote)
        self.assertGreater(len(report.calls), 100)

    def test_errors_have_their_kind(self):
        with self.assertRaisesRegex(Exception, "RuntimeError|Cannot read"):
            self.session.load_module("none.so")


if __name__ == "__main__":
    print("TVM", tvm.__version__, file=sys.stderr)
    unittest.main()
