# SPDX-License-Identifier: Apache-2.0
"""Writes tests/data/vm/hook_counts.json: how often TVM's own machine calls what, as its instrument hook sees it, in
the bytecode of each model that is among the test data in compiled mode too. Needs TVM 0.27 and numpy; run by hand.
TVM's hook sees nothing of compiled functions."""

import collections
import json
import pathlib

import numpy
import tvm
from tvm import relax

VM = pathlib.Path(__file__).resolve().parent.parent / "data" / "vm"
TWINS = {"tvm027/chain_compiled": "tvm027/chain", "tvm027/mlp_compiled": "tvm027/mlp",
         "tvm025/mlp_compiled": "tvm025/mlp", "tvm027/mlp_dyn_compiled": "tvm027/mlp_dyn",
         "tvm027/ifelse_compiled": "tvm027/ifelse_f"}


def counted(case):
    """Calls by name over all steps of a case's scenario, whose arguments are all arrays."""
    arrays = dict(numpy.load(VM / f"{case}.npz"))
    if (VM / "mlp_inputs.npz").exists():
        arrays = {**numpy.load(VM / "mlp_inputs.npz"), **arrays}
    steps = json.loads((VM / f"{case}.scenario.json").read_text())["steps"]
    machine = relax.VirtualMachine(tvm.runtime.load_module(str(VM / f"{case}.so")), tvm.cpu())
    seen = collections.Counter()

    def hook(_function, name, before, _result, *_arguments):
        seen[name] += 1 if before else 0
        return relax.VMInstrumentReturnKind.NO_OP

    machine.set_instrument(hook)
    for step in steps:
        machine[step["func"]](*(tvm.runtime.tensor(arrays[argument["npz"]]) for argument in step["args"]))
    return dict(sorted(seen.items()))


if __name__ == "__main__":
    counts = {"tvm": tvm.__version__, "counts": {twin: counted(bytecode) for twin, bytecode in TWINS.items()}}
    (VM / "hook_counts.json").write_text(json.dumps(counts, indent=1) + "\n")
