# SPDX-License-Identifier: Apache-2.0
"""Writes tests/data/vm/contrib/cases.json with the results of the real TVM (0.27) and numpy (2.4).

usage: python make_contrib_cases.py OUT.json, with a Python that has apache-tvm installed.
"""
import json
import sys

import numpy as np
import tvm
from tvm.relax.op.base import render_object

CASES = []
TEXTS = []
FORMATS = []
rng = np.random.default_rng(7)


def packed(array):
    array = np.asarray(array)
    return {"dtype": str(array.dtype), "shape": list(array.shape), "hex": array.tobytes("C").hex()}


def in_(array):
    return {"tensor": packed(np.asarray(array))}


def out(dtype, shape):
    return {"out": packed(np.full(shape, 99, dtype))}


def run(name, *arguments):
    """Calls TVM's function; outs are tensors that it fills."""
    values, outs = [], []
    for argument in arguments:
        if isinstance(argument, dict) and ("tensor" in argument or "out" in argument):
            spec = argument.get("tensor") or argument["out"]
            array = np.frombuffer(bytes.fromhex(spec["hex"]), spec["dtype"]).reshape(spec["shape"])
            tensor = tvm.runtime.tensor(array)
            values.append(tensor)
            if "out" in argument:
                outs.append(tensor)
        elif isinstance(argument, dict):
            values.append(tvm.runtime.ShapeTuple(argument["shape"]))
        else:
            values.append(argument)
    result = tvm.get_global_func(name)(*values)
    if result is not None:
        result = [packed(result.numpy())] if hasattr(result, "numpy") else [packed(r.numpy()) for r in result]
    CASES.append({"function": name, "arguments": list(arguments), "outputs": [packed(o.numpy()) for o in outs],
                  "result": result})


def numbers(dtype, shape):
    if np.dtype(dtype).kind == "f":
        return (rng.standard_normal(shape) * 4).round(0 if len(shape) > 2 else 2).astype(dtype)
    return rng.integers(0, 9, shape).astype(dtype)


SORTED = ["float32", "float64", "int32", "int64", "float16"]
for dtype in SORTED:
    for shape, axis in [((3, 16), -1), ((3, 16), 0), ((2, 9, 3), 1), ((5,), 0), ((0, 4), 1), ((4, 0), 1)]:
        for ascending in (True, False):
            x = in_(numbers(dtype, shape))
            run("tvm.contrib.sort.sort", x, out(dtype, shape), axis, ascending)
            for index in ("int32", "int64", "float32") if dtype == "float32" else ("int32",):
                run("tvm.contrib.sort.argsort", x, out(index, shape), axis, ascending)
for dtype in SORTED + ["int8", "uint8"]:
    for k in (1, 3, 0, -1):
        for ascending in (True, False):
            x = numbers(dtype, (3, 8, 2))
            size = (3, 8 if k < 1 else k, 2)
            run("tvm.contrib.sort.topk", in_(x), out(dtype, size), out("int64", size), k, 1, "both", ascending)
            run("tvm.contrib.sort.topk", in_(x), out("int32", size), k, -2, "indices", ascending)
            run("tvm.contrib.sort.topk", in_(x), out(dtype, size), k, 1, "values", ascending)
odd = np.array([[3, np.nan, 1, -0.0, 0.0, np.inf, np.nan, -np.inf, 2, 2]], "float32")
for ascending in (True, False):
    run("tvm.contrib.sort.sort", in_(odd), out("float32", odd.shape), 1, ascending)
    run("tvm.contrib.sort.argsort", in_(odd), out("int32", odd.shape), 1, ascending)
    run("tvm.contrib.sort.topk", in_(odd), out("int32", (1, 4)), 4, 1, "indices", ascending)
    many = rng.standard_normal((1, 300)).astype("float32")
    many[0, ::7] = np.nan
    run("tvm.contrib.sort.sort", in_(many), out("float32", many.shape), 1, ascending)
    run("tvm.contrib.sort.argsort_nms", in_(numbers("float32", (2, 6))), in_(np.array([4, 0], "int32")),
        out("int32", (2, 6)), 1, ascending)
# longer than the line: what is beyond stays as it was
run("tvm.contrib.sort.topk", in_(numbers("float32", (2, 3))), out("int32", (2, 5)), 5, 1, "indices", True)

for seeds in [(1, 2), (0, 5), (-3, 1 << 40)]:
    run("tvm.contrib.random.uniform", *seeds, -1.5, 2.0, out("float32", (3, 5)))
    run("tvm.contrib.random.normal", *seeds, 1.0, 0.5, out("float32", (3, 5)))

for dtype in ("float32", "int64", "bool", "int8", "float16"):
    x = numbers(dtype, (3, 4)) if dtype != "bool" else rng.integers(0, 2, (3, 4)).astype(bool)
    run("relax.run.nonzero", in_(x))
    run("relax.run.nonzero", in_(x[0, 0]))
    for sort in (0, 1):
        run("relax.run.unique", in_(x), sort, 0, 0, 0, None)
        run("relax.run.unique", in_(x.reshape(-1)), sort, 1, 1, 1, None)
        if dtype != "float16":
            run("relax.run.unique", in_(x % 2 if dtype != "bool" else x), sort, 1, 1, 1, 1)
run("relax.run.unique", in_(np.array([1, np.nan, 2, np.nan, 1], "float32")), 1, 1, 1, 1, None)
run("relax.run.shape_to_tensor", {"shape": [3, 1, 4]})

ARRAYS = [
    np.array(3, "int32"), np.array(True), np.array(1.5, "float32"), np.array(1e20, "float32"), np.array(0.1, "float16"),
    np.array(123456789.0, "float32"), np.array(-0.0), np.array(1e-4, "float32"), np.array(1000, "float16"),
    np.array(1e15), np.array(1e16), np.array(np.nan), np.array([1, 2.5, 3], "float32"), np.zeros((0, 3)),
    np.arange(6, dtype="float32").reshape(2, 3), np.array([1e-5, 1.0], "float32"), np.array([1e9, 1.0]),
    np.array([0.1, 1 / 3], "float32"), np.array([0.1, 1 / 3]), np.array([0.1, 1 / 3], "float16"),
    np.array([np.nan, np.inf, -1.5], "float32"), np.array([np.nan, -np.inf]), np.arange(40), np.array([True, False]),
    np.arange(1050, dtype="int16").reshape(30, 35), np.arange(1008, dtype="float32").reshape(2, 14, 36) / 7,
    rng.standard_normal((3, 11)), rng.standard_normal((2, 3, 2)).astype("float32"), np.array([-5, 100], "int8"),
    rng.standard_normal((4, 20)).astype("float16"), np.array([1e-300, 1e300]), np.array([9999999.0, 1.0]),
    np.array([2**63], "uint64"), np.array([999.0, 1000.0], "float16"), np.array([0.0, 1e6], "float32"),
    np.array([123456.789, 0.5]), np.array([1e100]), np.array([[1e-7]]), np.ones((1, 1, 1)),
]
for array in ARRAYS:
    TEXTS.append({"tensor": packed(array), "text": render_object(tvm.runtime.tensor(array))})
for text, values in [("x is {}", ["3"]), ("{} and {}", ["a", "b"]), ("{1}{0}", ["a", "b"]), ("{{}} {}", ["a"]),
                     ("{:>4}|{:*^5}|{:.2}", ["a", "b", "long"]), ("none", []), ("", []), ("ä{}ö", ["ü"])]:
    FORMATS.append({"format": text, "values": values, "text": text.format(*values)})

with open(sys.argv[1], "w", encoding="utf-8") as file:
    json.dump({"cases": CASES, "texts": TEXTS, "formats": FORMATS}, file, separators=(",", ":"))
