#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same calls of a machine's module in TVM and here: results to the bit, kinds of errors, what the hook is told.

Both sides are processes that answer JSON lines: {"open": library}, then {"on": "vm" or "exec", "call": function,
"args": [...], "store": name for the result}. Arguments are plain values, {"tensor": {shape, dtype, bytes}},
{"tuple": [...]}, {"shape": [...]}, {"ref": stored name}, {"function": name}, {"hook": what it does}. Answers are
{"result"} or {"error": kind, "message"}, and "events", what hooks were told.
"""
import json
import os
import subprocess
import sys
import unittest

import numpy as np

DRIVER = os.environ["OPSCOPE_MODULE_DRIVER"]
FIXTURES = os.environ["OPSCOPE_FIXTURES"]
PEER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "machine_module_peer.py")
CPU = [1, 0, 2]


def tensor(*shape, start=0, dtype="float32"):
    array = np.arange(start, start + int(np.prod(shape)), dtype=dtype).reshape(shape)
    return {"tensor": {"shape": list(shape), "dtype": dtype, "bytes": list(array.tobytes())}}


def pair(start):
    return {"tuple": [tensor(4, 6, start=start), tensor(4, 6, start=start + 100)]}


class Side:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)

    def ask(self, line):
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer, f"the process ended at {line}"
        return json.loads(answer)

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


class MachineModule(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.ours = Side([DRIVER])
        cls.tvms = Side([sys.executable, "-B", PEER])

    @classmethod
    def tearDownClass(cls):
        cls.ours.close()
        cls.tvms.close()

    def both(self, line, same_error=True):
        """Asks both; the answers must agree. Messages are in words of one's own."""
        ours, tvms = self.ours.ask(line), self.tvms.ask(line)
        if line.get("call") == "stats":  # TVM's text loses two characters of a shape without dimensions
            tvms["result"] = tvms["result"].replace("shapetupl], ", "shapetuple[], ")
        told = f"{json.dumps(line)[:300]}\nours: {str(ours)[:600]}\nTVM:  {str(tvms)[:600]}"
        self.assertEqual("error" in ours, "error" in tvms, told)
        if same_error:
            self.assertEqual(ours.get("error"), tvms.get("error"), told)
        self.assertEqual(ours.get("result"), tvms.get("result"), told)
        self.assertEqual(ours["events"], tvms["events"], told)
        return ours

    def open(self, fixture):
        self.both({"open": os.path.join(FIXTURES, fixture + ".so")})
        self.call("vm_initialization", *CPU)

    def call(self, name, *arguments, on="vm", store=None, same_error=True):
        line = {"on": on, "call": name, "args": list(arguments)}
        if store is not None:
            line["store"] = store
        return self.both(line, same_error)

    def fails(self, name, *arguments, **options):
        self.assertIn("error", self.call(name, *arguments, **options))

    def works(self, name, *arguments, **options):
        answer = self.call(name, *arguments, **options)
        self.assertIn("result", answer, str(answer)[:600])
        return answer

    # ---- functions and closures ----

    def test_functions_by_name(self):
        self.open("tuples")
        self.works("main", tensor(4, 6), pair(10))
        self.fails("main", tensor(4, 6))
        self.fails("main", tensor(4, 6), pair(10), 1)
        self.fails("main", tensor(4, 6), tensor(4, 6))
        self.fails("main", tensor(4, 5), pair(10))
        self.fails("main", tensor(4, 6, dtype="int32"), pair(10))
        self.fails("nosuch")
        self.fails("split")

    def test_saved_functions(self):
        self.open("tuples")
        self.works("save_function", "main", "half", True, pair(10))
        self.works("half", tensor(4, 6))
        self.works("save_function", "half", "whole", 1, tensor(4, 6, start=3))
        self.works("whole")
        self.works("save_function", "whole", "quiet", False)
        self.works("quiet")
        self.works("save_function", "quiet", "again", True)
        self.works("again")
        self.fails("half")
        self.fails("half", tensor(4, 6), tensor(4, 6))
        self.fails("save_function", "nosuch", "x", True)
        self.fails("save_function", "split", "x", True)
        self.fails("save_function", "main", "x")
        self.fails("save_function", "main", "x", "yes")
        self.works("save_function", "main", "main", True, tensor(4, 6), pair(10))
        self.works("main")
        self.fails("invoke_stateful", "half")
        self.fails("set_input", "half", tensor(4, 6))

    def test_closures(self):
        self.open("closure")
        self.works("main", tensor(2, 3), tensor(2, 3, start=5))
        self.works("main_outer", tensor(2, 3), store="closure")
        self.works("invoke_closure", {"ref": "closure"}, tensor(2, 3, start=1))
        self.fails("invoke_closure", {"ref": "closure"})
        self.works("invoke_closure", {"function": "sum"}, 20, 22)
        self.fails("invoke_closure", 5)
        self.fails("invoke_closure", tensor(2, 3))

    # ---- inputs and outputs ----

    def test_stateful_calls(self):
        self.open("tuples")
        self.fails("invoke_stateful", "nosuch")
        self.fails("invoke_stateful", "main")
        self.fails("invoke_stateful")
        self.fails("invoke_stateful", "main", 1)
        self.fails("invoke_stateful", 1)
        self.fails("get_output", "main")
        self.fails("get_output_arity", "main")
        self.fails("set_input", "nosuch")
        self.fails("set_input", "main", tensor(4, 6))
        self.works("set_input", "main", tensor(4, 6), pair(1))
        self.works("invoke_stateful", "main")
        self.works("get_output_arity", "main")
        self.works("get_output_arity", "main", 1)
        self.works("get_output_arity", "main", 1, 1)
        self.fails("get_output_arity", "main", 5)
        self.works("get_output", "main", 0)
        self.works("get_output", "main", 1, 0)
        self.works("get_output", "main", 2)
        for path in ([], [1], [3], [-1], [0, 0], [1, 2], ["0"]):
            self.fails("get_output", "main", *path)
        self.works("set_input", "main", tensor(4, 6, start=7), pair(2))
        self.works("get_output", "main", 2)
        self.works("invoke_stateful", "main")
        self.works("get_output", "main", 2)
        self.works("set_input", "main", 1, 2)
        self.fails("invoke_stateful", "main")
        self.works("get_output", "main", 2)

    def test_single_outputs(self):
        self.open("chain")
        self.works("set_input", "main", tensor(16))
        self.works("invoke_stateful", "main")
        self.works("get_output_arity", "main")
        self.works("get_output", "main")
        self.fails("get_output", "main", 0)

    def test_parameter_names(self):
        self.open("tuples")
        self.works("get_function_arity", "main")
        self.works("get_function_arity", "split")
        self.works("get_function_param_name", "main", 0)
        self.works("get_function_param_name", "main", 1)
        self.fails("get_function_param_name", "main", 2)
        self.fails("get_function_param_name", "main", -1)
        self.fails("get_function_param_name", "main")
        self.fails("get_function_param_name", "nosuch", 0)
        self.fails("get_function_arity", "nosuch")
        self.fails("get_function_arity")

    def test_parameter_modules(self):
        self.open("tuples")
        self.fails("set_input_with_param_module", "main", tensor(4, 6), {"ref": "exec"})
        self.fails("set_input_with_param_module", "main", tensor(4, 6), tensor(4, 6))
        self.fails("set_input_with_param_module", "nosuch", {"ref": "exec"})
        self.fails("set_input_with_param_module", "main", {"ref": "exec"})

    # ---- initialisation ----

    def test_device_lists(self):
        for devices in ([1, 0, 1], [1, 0, 2, 1, 0, 1]):
            self.both({"open": os.path.join(FIXTURES, "chain.so")})
            self.works("vm_initialization", *devices)
            self.works("main", tensor(16))
        for devices in ([1, 0], [1, 0, 7], ["cpu", 0, 2]):
            self.both({"open": os.path.join(FIXTURES, "chain.so")})
            self.fails("vm_initialization", *devices)

    def test_missing_functions(self):
        self.both({"open": os.path.join(FIXTURES, "dpspacked.so")})
        self.fails("vm_initialization", *CPU)

    # ---- the hook ----

    def test_hook(self):
        for fixture, arguments in (("ifelse", [tensor(dtype="bool", start=1), tensor(8)]),
                                   ("closure", [tensor(2, 3), tensor(2, 3, start=5)]),
                                   ("recursion", [tensor(start=3, dtype="int32")]), ("tuples", [tensor(4, 6), pair(10)]),
                                   ("ifelse_compiled", [tensor(dtype="bool", start=1), tensor(8)])):
            with self.subTest(fixture=fixture):
                self.open(fixture)
                self.works("set_instrument", {"hook": {}})
                self.works("main", *arguments)

    def test_hook_that_skips(self):
        self.open("recursion")
        for give in (1, 0, 2, True, "1", None):
            self.works("set_instrument", {"hook": {"skip": "sumto", "give": give}})
            self.works("main", tensor(start=3, dtype="int32"))
        self.open("tuples")
        self.works("set_instrument", {"hook": {"skip": "vm.builtin.alloc_tensor", "give": 1}})
        self.fails("main", tensor(4, 6), pair(10))

    def test_hook_that_raises(self):
        self.open("tuples")
        for before in (True, False):
            self.works("set_instrument", {"hook": {"raise": "split", "before": before}})
            self.fails("main", tensor(4, 6), pair(10))
        self.works("set_instrument", {"hook": {}})
        self.works("main", tensor(4, 6), pair(10))

    def test_hooks_that_are_none(self):
        self.open("chain")
        self.fails("set_instrument", "no.such.factory")
        self.fails("set_instrument", 5)

    # ---- the executable ----

    def test_texts(self):
        for fixture in ("tuples", "closure", "ifelse", "mlp_const", "recursion", "ifelse_compiled", "dynreshape"):
            with self.subTest(fixture=fixture):
                self.both({"open": os.path.join(FIXTURES, fixture + ".so")})
                for name in ("as_text", "as_python", "stats"):
                    self.works(name, on="exec")
                self.works("has_function", "main", on="exec")
                self.works("has_function", "nosuch", on="exec")
                self.fails("has_function", on="exec")
                self.fails("nosuch", on="exec")


if __name__ == "__main__":
    unittest.main()
