# SPDX-License-Identifier: Apache-2.0
"""Makes the executables of this folder and what they compute, with TVM 0.27 and Debian's cross compiler:

    python make_models.py FOLDER

net.so: a small network with constants and a symbolic dimension; net.npz: its input and what numpy makes of it.
mlp.so: the network of ../tvm027/mlp.so, whose weights are inputs, with the same input and results."""

import pathlib
import sys

import numpy as np
import tvm
from tvm import relax
from tvm.relax.frontend import nn
from tvm.support import cc

FOLDER = pathlib.Path(sys.argv[1])


class Net(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.fc1 = nn.Linear(sizes[0], sizes[1])
        self.fc2 = nn.Linear(sizes[1], sizes[2])

    def forward(self, x):
        return self.fc2(nn.op.relu(self.fc1(x)))


def export(module, name):
    target = tvm.target.Target({"kind": "llvm", "mtriple": "aarch64-linux-gnu"})
    tvm.compile(module, target=target).export_library(
        str(FOLDER / name), fcompile=cc.cross_compiler("aarch64-linux-gnu-g++", options=["-s"]))


def main():
    random = np.random.default_rng(27)
    module, parameters = Net((16, 24, 4)).export_tvm(spec={"forward": {"x": nn.spec.Tensor(("n", 16), "float32")}})
    values = [random.standard_normal([int(size) for size in p.shape]).astype("float32") for _, p in parameters]
    names = [p.name for p in module["forward"].params][1:]
    export(relax.transform.BindParams("forward", {k: tvm.runtime.tensor(v) for k, v in zip(names, values)})(module), "net.so")
    x = random.standard_normal((3, 16)).astype("float32")
    hidden = np.maximum(x @ values[0].T + values[1], 0)
    np.savez(FOLDER / "net.npz", x=x, out=hidden @ values[2].T + values[3])
    export(Net((784, 256, 10)).export_tvm(spec={"forward": {"x": nn.spec.Tensor((1, 784), "float32")}})[0], "mlp.so")


main()
