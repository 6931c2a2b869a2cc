#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles models with the real TVM now, runs them in TVM and in opscope-cli, and compares the results bit for bit.

The fixtures in tests/data were compiled once; this holds that what a stock TVM writes today runs too.
"""
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import tvm
from tvm import relax
from tvm.relax.frontend import nn

CLI = os.environ["OPSCOPE_CLI"]


class Classifier(nn.Module):
    """A convolution, a pooling and two dense layers: Relax with weights as parameters."""

    def __init__(self):
        self.conv = nn.Conv2D(3, 8, 3, padding=1)
        self.hidden = nn.Linear(8 * 16 * 16, 32)
        self.out = nn.Linear(32, 10)

    def forward(self, x):
        x = nn.op.relu(self.conv(x))
        x = nn.op.reshape(x, (x.shape[0], 8 * 16 * 16))
        return nn.op.softmax(self.out(nn.op.relu(self.hidden(x))), axis=-1)


def compile_model(module, batch, path, mode):
    spec = {"forward": {"x": nn.spec.Tensor([batch, 3, 16, 16], "float32")}}
    exported, parameters = module.export_tvm(spec=spec)
    if mode == "compiled":
        executable = relax.build(exported, target=tvm.target.Target("llvm"), exec_mode="compiled")
    else:
        executable = tvm.compile(exported, target=tvm.target.Target("llvm"))
    executable.export_library(path)
    return [[int(size) for size in parameter.shape] for _, parameter in parameters]


class FreshExecutable(unittest.TestCase):
    def check(self, batch, sizes, mode, ending=".so"):
        random = np.random.default_rng(7)
        with tempfile.TemporaryDirectory() as folder:
            library = os.path.join(folder, "model" + ending)
            shapes = compile_model(Classifier(), batch, library, mode)
            weights = [random.standard_normal(shape).astype("float32") * 0.1 for shape in shapes]
            machine = relax.VirtualMachine(tvm.runtime.load_module(library), tvm.cpu())
            for size in sizes:
                x = random.standard_normal((size, 3, 16, 16)).astype("float32")
                expected = machine["forward"](*[tvm.runtime.tensor(array) for array in (x, *weights)]).numpy()
                inputs, outputs = os.path.join(folder, "in.npz"), os.path.join(folder, "out.npz")
                np.savez(inputs, **{f"arg{i}": array for i, array in enumerate((x, *weights))})
                command = [CLI, "run", library, "-f", "forward", "--inputs", inputs, "--outputs", outputs]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                actual = np.load(outputs)["out"]
                self.assertEqual((actual.dtype, actual.shape), (expected.dtype, expected.shape))
                self.assertEqual(actual.tobytes(), expected.tobytes(), f"largest difference {np.abs(actual - expected).max()}")

    def test_fixed_batch(self):
        self.check(2, [2], "bytecode")

    def test_free_batch(self):
        self.check("n", [1, 3, 8], "bytecode")

    def test_archive_that_is_not_linked(self):
        self.check(2, [2], "bytecode", ".tar")

    def test_compiled_mode(self):
        self.check("n", [1, 4], "compiled")


if __name__ == "__main__":
    print("TVM", tvm.__version__, file=sys.stderr)
    unittest.main()
