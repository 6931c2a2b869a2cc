# SPDX-License-Identifier: Apache-2.0
"""A list of steps on an executable that is run twice: by the TVM of this Python, and by opscope-cli as a scenario."""
import json
import os
import subprocess
import tempfile

import numpy as np
import tvm
from tvm import relax

SHAPE = tvm.runtime.ShapeTuple


class Script:
    """Steps with their arguments; every result of a step that has a name is compared."""

    def __init__(self, library):
        self.library = library
        self.steps, self.arrays = [], {}

    def call(self, function, *arguments, out=None, only=None):
        """A function of the executable; returns what later steps name its result by."""
        return self._add({"func": function}, arguments, out, only)

    def globally(self, function, *arguments, out=None):
        """A global function "vm.builtin." + `function`."""
        return self._add({"global": "vm.builtin." + function}, arguments, out, None)

    def _add(self, step, arguments, out, only):
        step["args"] = [self._argument(argument) for argument in arguments]
        if out is not None:
            step["out"] = out
        if only is not None:
            step["only"] = only
        self.steps.append(step)
        return Result(len(self.steps) - 1)

    def _argument(self, argument):
        if isinstance(argument, Result):
            return {"ret": argument.step}
        if isinstance(argument, np.ndarray):
            key = f"in/{len(self.arrays)}"
            self.arrays[key] = argument
            return {"npz": key}
        if isinstance(argument, (list, tuple)):
            return {"shape": list(argument)}
        return {{int: "int", float: "float", str: "string"}[type(argument)]: argument}

    def run_in_tvm(self):
        """{name: array} of the named results."""
        machine = relax.VirtualMachine(tvm.runtime.load_module(self.library), tvm.cpu())
        results, named = [], {}
        for step in self.steps:
            function = machine[step["func"]] if "func" in step else tvm.get_global_func(step["global"])
            result = function(*[self._for_tvm(argument, results) for argument in step["args"]])
            results.append(result)
            if "out" in step:
                result = result[step["only"]] if "only" in step else result
                named[step["out"]] = np.array(result.numpy() if hasattr(result, "numpy") else result)
        return named

    def _for_tvm(self, argument, results):
        if "ret" in argument:
            return results[argument["ret"]]
        if "npz" in argument:
            return tvm.runtime.tensor(self.arrays[argument["npz"]])
        return SHAPE(argument["shape"]) if "shape" in argument else next(iter(argument.values()))

    def run_in_opscope(self, cli):
        """The same by opscope-cli."""
        with tempfile.TemporaryDirectory() as folder:
            scenario, inputs, outputs = (os.path.join(folder, name) for name in ("s.json", "in.npz", "out.npz"))
            with open(scenario, "w", encoding="utf-8") as file:
                json.dump({"steps": self.steps}, file)
            np.savez(inputs, **self.arrays)
            command = [cli, "run", self.library, "--scenario", scenario, "--inputs", inputs, "--outputs", outputs]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise AssertionError(done.stdout + done.stderr)
            return dict(np.load(outputs))


class Result:
    def __init__(self, step):
        self.step = step


class Cache(Script):
    """A script on an executable of kv_models.Attention, with a reference that knows each sequence's tokens."""

    def __init__(self, library, model, batch=4, tokens=256, chunk=96, sliding=0, seed=1):
        super().__init__(library)
        self.model, self.random = model, np.random.default_rng(seed)
        self.cache = self.call("create_cache", [batch], [tokens], [chunk], [16], [sliding])

    def state(self, function, *arguments, out=None):
        return self.globally("kv_state_" + function, self.cache, *arguments, out=out)

    def of_cache(self, function, *arguments, out=None):
        return self.globally("attention_kv_cache_" + function, self.cache, *arguments, out=out)

    def add(self, *sequences):
        for sequence in sequences:
            self.state("add_sequence", sequence)

    def random_qkv(self, tokens):
        shape = (1, tokens, self.model.heads + 2 * self.model.kv_heads, 16)
        return self.random.standard_normal(shape).astype("float32")

    def forward(self, lengths, parents=None):
        """One pass over {sequence: new tokens}."""
        sequences, counts = list(lengths), list(lengths.values())
        self.state("begin_forward", sequences, counts, *([] if parents is None else [parents]))
        name = f"out/{len(self.steps)}"
        self.call("attend", self.random_qkv(sum(counts)), self.cache, out=name)
        self.of_cache("get_query_positions", out=name + "/positions")
        self.state("end_forward")
        self.of_cache("get_num_available_pages", out=name + "/pages")
        self.of_cache("get_total_sequence_length", out=name + "/length")
        return name
