# SPDX-License-Identifier: Apache-2.0
"""Executables in compiled mode: their profiles against TVM's own count of calls, and against their bytecode twins."""

import collections
import json
import unittest

from cli import DATA, CliTest

# docs/compiled-mode.md, "How to read it": calls that only one of the two modes makes.
ONLY_HERE_OR_THERE = {"vm.builtin.copy", "vm.builtin.null_value", "vm.builtin.invoke_closure"}
TWINS = {"chain_compiled": "chain", "mlp_compiled": "mlp", "mlp_dyn_compiled": "mlp_dyn",
         "ifelse_compiled": "ifelse_f", "parallel_compiled": "parallel"}


class Profile:
    """What a profile wrote with --samples, in names."""

    def __init__(self, text):
        self.all = json.loads(text)
        self.calls = self.all["calls"]

    def name(self, call):
        return self.all["names"][self.calls[call]["name"]] if call >= 0 else None

    def names(self):
        return [self.name(call) for call in range(len(self.calls))]

    def memory(self):
        """Who took and wrote each storage, and how much of it; sums; series without their times."""
        memory = self.all["memory"]
        storages = memory["storages"]
        rows = [(self.name(call), self.name(writer), *rest) for call, writer, *rest in
                zip(storages["call"], storages["writer"], storages["bytes"], storages["tensorCount"],
                    storages["tensorBytes"], storages["before"])]
        sums = {key: value for key, value in memory.items() if isinstance(value, int) and not key.endswith("Call")}
        series = {key: (memory[key]["peakBytes"], memory[key]["points"]["bytes"])
                  for key in ("storage", "tensors", "workspaces")}
        holders = [(rows[storage][0], self.name(writer), bytes_) for storage, writer, bytes_ in
                   zip(*(memory["holders"][key] for key in ("storage", "writer", "tensorBytes")))]
        return rows, sums, series, holders, self.name(memory["peakCall"])

    def launches(self):
        launches = self.all["lanes"]["launches"]
        return [(repeat, self.name(call), tasks, kind) for repeat, call, tasks, kind in
                zip(*(launches[key] for key in ("repeat", "call", "tasks", "kind")))]


class Compiled(CliTest):
    def profile(self, case, *options, repeats=2):
        library = DATA / "vm" / f"{case}.so"
        arguments = [library]
        if "mlp_dyn" in case:
            arguments += ["--dim", "n=7"]
        if "ifelse" in case:  # which branch is taken is an input
            arguments += ["--scenario", library.with_suffix(".scenario.json"), "--inputs", library.with_suffix(".npz")]
        return Profile(self.succeeds("profile", *arguments, "--repeat", repeats, "--overhead", "off", "--threads", "2",
                                     "--samples", "-", *options))

    def twins(self, *options, repeats=2):
        for compiled, bytecode in TWINS.items():
            with self.subTest(compiled):
                yield self.profile(f"tvm027/{compiled}", *options, repeats=repeats), \
                    self.profile(f"tvm027/{bytecode}", *options, repeats=repeats)

    def test_names_and_counts_are_those_of_tvms_instrument_hook(self):
        """What TVM's machine saw in the bytecode twin; hook_counts.py wrote it."""
        recorded = json.loads((DATA / "vm" / "hook_counts.json").read_text())["counts"]
        self.assertEqual(len(recorded), 5)
        for case, counts in recorded.items():
            with self.subTest(case):
                found = self.profile(case, repeats=3)
                for call in found.calls:
                    self.assertEqual(len(call["ownNs"]), 3)
                seen = collections.Counter(name for name in found.names() if name not in ONLY_HERE_OR_THERE)
                self.assertEqual(seen, {name: n for name, n in counts.items() if name not in ONLY_HERE_OR_THERE})

    def test_memory_is_that_of_the_bytecode(self):
        for compiled, bytecode in self.twins("--memory"):
            self.assertGreater(compiled.all["memory"]["taken"], 0)
            for found, expected in zip(compiled.memory(), bytecode.memory()):
                self.assertEqual(found, expected)

    def test_who_frees_a_storage_is_not_known(self):
        """It is no call, and no call may be blamed for it."""
        freed = self.profile("tvm027/mlp_compiled", "--memory").all["memory"]["storages"]["freedBy"]
        self.assertEqual(set(freed), {-1})

    def test_lanes_are_those_of_the_bytecode(self):
        with_launches = 0
        for compiled, bytecode in self.twins("--lanes"):
            self.assertEqual(compiled.launches(), bytecode.launches())
            self.assertEqual(compiled.all["lanes"]["lostRecords"], 0)
            with_launches += len(compiled.launches())
        self.assertEqual(with_launches, 2)
        found = self.profile("tvm027/parallel_compiled", "--lanes")
        self.assertEqual([launch[1] for launch in found.launches()], ["padd", "padd"])

    def test_counters_are_told_of_the_same_calls(self):
        def told(found):
            rows = [(name, [[value is not None for value in column] for column in call["counters"]])
                    for name, call in zip(found.names(), found.calls)]
            return [row for row in rows if row[0] not in ONLY_HERE_OR_THERE]

        for compiled, bytecode in self.twins("--counters", "task-clock,page-faults"):
            self.assertEqual([column["name"] for column in compiled.all["counters"]], ["task-clock", "page-faults"])
            self.assertEqual(told(compiled), told(bytecode))
            times = [call["counters"][0] for call in compiled.calls if call["kernel"]]
            self.assertTrue(times)
            for repeat, total in enumerate(compiled.all["counters"][0]["totals"]):
                own = [values[repeat] for values in times]
                self.assertGreater(min(own), 0)
                self.assertLessEqual(sum(own), total)


if __name__ == "__main__":
    unittest.main()
