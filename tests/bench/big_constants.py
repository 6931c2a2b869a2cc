#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes an executable with many megabytes of constants: dense layers with their weights in it.

Run by the Python of the peers: big_constants.py OUT.so MEGABYTES
"""
import sys

import numpy as np
import tvm
from tvm import relax
from tvm.script import relax as R

SIDE = 512


def main():
    path, megabytes = sys.argv[1], int(sys.argv[2])
    random = np.random.default_rng(3)
    builder = relax.BlockBuilder()
    x = relax.Var("x", R.Tensor((1, SIDE), "float32"))
    with builder.function("main", [x]):
        with builder.dataflow():
            value = x
            for _ in range(megabytes * 2**20 // (SIDE * SIDE * 4)):
                weight = relax.const(random.standard_normal((SIDE, SIDE)).astype("float32") / SIDE)
                value = builder.emit(relax.op.matmul(value, weight))
            result = builder.emit_output(value)
        builder.emit_func_output(result)
    tvm.compile(builder.get(), target=tvm.target.Target("llvm")).export_library(path)


if __name__ == "__main__":
    main()
