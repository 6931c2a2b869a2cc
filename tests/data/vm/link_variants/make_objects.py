# SPDX-License-Identifier: Apache-2.0
"""Makes the fixtures of this folder: one model in both modes. Run with TVM 0.27: make_objects.py FOLDER

The model has what the two modes do differently: a loop by recursion, a branch, functions that are called, a kernel
that several places call with several shapes, a kernel that gives a number, and a kernel that calls the runtime.
"""
import sys
import tempfile
from pathlib import Path

import numpy as np
import tvm
from tvm import relax
from tvm.script import ir as I, relax as R

try:
    from tvm.script import tirx as T
except ImportError:
    from tvm.script import tir as T


@I.ir_module
class Model:
    @R.function
    def step(x: R.Tensor(("n", 8), "float32"), w: R.Tensor((8, 8), "float32")) -> R.Tensor(("n", 8), "float32"):
        y = R.matmul(x, w)
        z = R.nn.relu(y)
        return z

    @R.function
    def loop(i: R.Tensor((), "int32"), x: R.Tensor(("n", 8), "float32"),
             w: R.Tensor((8, 8), "float32")) -> R.Tensor(("n", 8), "float32"):
        n = T.int64()
        cls = Model
        done: R.Tensor((), "bool") = R.less(i, R.const(1, "int32"))
        if done:
            r: R.Tensor((n, 8), "float32") = x
        else:
            y: R.Tensor((n, 8), "float32") = cls.step(x, w)
            j: R.Tensor((), "int32") = R.subtract(i, R.const(1, "int32"))
            r: R.Tensor((n, 8), "float32") = cls.loop(j, y, w)
        return r

    @R.function
    def main(x: R.Tensor(("n", 8), "float32"), w: R.Tensor((8, 8), "float32"),
             i: R.Tensor((), "int32")) -> R.Tuple(R.Tensor(("n", 8), "float32"), R.Tensor((8,), "float32"),
                                                  R.Tensor(("n", 8), "float32")):
        n = T.int64()
        cls = Model
        a: R.Tensor((n, 8), "float32") = cls.loop(i, x, w)
        b: R.Tensor((8,), "float32") = R.sum(a, axis=0)
        c: R.Tensor((8,), "float32") = R.nn.relu(b)
        d: R.Tensor((n, 8), "float32") = R.sort(a, axis=-1)
        return (a, c, d)


def main():
    out = Path(sys.argv[1])
    rng = np.random.default_rng(0)
    x = rng.standard_normal((3, 8)).astype("float32")
    w = rng.standard_normal((8, 8)).astype("float32") / 3
    i = np.array(2, "int32")
    arrays = {"in/0": x, "in/1": w, "in/2": i}
    for mode in ("bytecode", "compiled"):
        target = tvm.target.Target("llvm")
        executable = relax.build(Model, target=target, exec_mode=mode)
        executable.export_library(str(out / f"{mode}.tar"))
        with tempfile.TemporaryDirectory() as folder:
            executable.export_library(f"{folder}/model.so")
            machine = relax.VirtualMachine(tvm.runtime.load_module(f"{folder}/model.so"), tvm.cpu())
        results = machine["main"](*[tvm.runtime.tensor(a) for a in (x, w, i)])
        for k, result in enumerate(results):
            name = f"out/{k}"
            assert mode == "bytecode" or np.array_equal(arrays[name], result.numpy())
            arrays[name] = result.numpy()
    np.savez(out / "model.npz", **arrays)


if __name__ == "__main__":
    main()
