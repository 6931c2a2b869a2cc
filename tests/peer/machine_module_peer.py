#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Answers the lines of machine_module_test.py with TVM's own virtual machine."""
import ctypes
import json
import sys

import numpy as np
import tvm
import tvm_ffi


def tensor(spec):
    array = np.frombuffer(bytes(spec["bytes"]), dtype=spec["dtype"]).reshape(spec["shape"])
    return tvm.runtime.tensor(array)


def word(value):
    if value is None:
        return "none"
    for kind, name in ((bool, "bool"), (int, "int"), (float, "float"), (str, "str"), (ctypes.c_void_p, "pointer"),
                       (tvm.runtime.Tensor, "tensor"), (tvm_ffi.Shape, "shape"), (tvm_ffi.Array, "tuple"),
                       (tvm_ffi.Function, "function")):
        if isinstance(value, kind):
            return name
    return "closure" if "Closure" in type(value).__name__ or "Closure" in repr(value) else "object"


def to_json(value):
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, tvm.runtime.Tensor):
        array = value.numpy()
        return {"tensor": {"shape": list(array.shape), "dtype": str(array.dtype), "bytes": list(array.tobytes())}}
    if isinstance(value, tvm_ffi.Array):
        return {"tuple": [to_json(item) for item in value]}
    return {"kind": word(value)}


class Driver:
    def __init__(self):
        self.values = {}
        self.events = []

    def value(self, spec):
        if not isinstance(spec, dict):
            return spec
        if "tensor" in spec:
            return tensor(spec["tensor"])
        if "shape" in spec:
            return tvm_ffi.Shape(spec["shape"])
        if "ref" in spec:
            return self.values[spec["ref"]]
        if "function" in spec:
            return tvm_ffi.convert({"sum": lambda a, b: a + b}[spec["function"]])
        if "hook" in spec:
            return self.hook(spec["hook"])
        return tuple(self.value(item) for item in spec["tuple"])

    def hook(self, spec):
        def called(function, name, before, result, *arguments):
            self.events.append([word(function), name, before, word(result), [word(value) for value in arguments]])
            if spec.get("raise", "") == name and spec.get("before", True) == before:
                raise IndexError("the hook raises")
            return self.value(spec["give"]) if spec.get("skip", "") == name else None
        return tvm_ffi.convert(called)

    def perform(self, line):
        if "open" in line:
            self.values["exec"] = tvm.runtime.load_module(line["open"])
            self.values["vm"] = self.values["exec"]["vm_load_executable"]()
            return None
        function = self.values[line["on"]].get_function(line["call"])
        result = function(*[self.value(argument) for argument in line["args"]])
        if "store" in line:
            self.values[line["store"]] = result
        return to_json(result)

    def answer(self, line):
        self.events = []
        try:
            reply = {"result": self.perform(line)}
        except Exception as error:  # every kind is an answer
            reply = {"error": type(error).__name__, "message": str(error)}
        reply["events"] = self.events
        return reply


def main():
    driver = Driver()
    for line in sys.stdin:
        print(json.dumps(driver.answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
