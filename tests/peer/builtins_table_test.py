#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/builtins.md tells every function that TVM registers for executables, and what it says of ours is so."""
import json
import os
import re
import subprocess
import sys
import unittest

import tvm  # registers its functions
import tvm_ffi

DRIVER = os.environ["OPSCOPE_MODULE_DRIVER"]
DOCUMENT = os.environ["OPSCOPE_BUILTINS_TABLE"]
PREFIXES = ("vm.", "relax.run.", "tvm.contrib.sort.", "tvm.contrib.random.")
STATUSES = {"ours", "not applicable", "missing"}


def rows(text):
    """Names with their status and note."""
    return {name: (status, note.strip())
            for name, status, note in re.findall(r"^\| `([\w.]+)` \| ([a-z ]+) \|(.*)\|$", text, re.MULTILINE)}


class BuiltinsTable(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(DOCUMENT, encoding="utf-8") as file:
            of_tvm, of_other_builds = file.read().split("## Names of other builds of TVM")
        cls.table, cls.other_builds = rows(of_tvm), rows(of_other_builds)
        cls.tvms = {str(name) for name in tvm_ffi.registry.list_global_func_names() if str(name).startswith(PREFIXES)}
        answer = subprocess.run([DRIVER], input='{"names": true}\n', capture_output=True, text=True, check=True).stdout
        cls.ours = set(json.loads(answer)["result"])

    def test_has_every_name_of_tvm_and_no_other(self):
        self.assertEqual(sorted(self.table), sorted(self.tvms))
        self.assertFalse(self.tvms & set(self.other_builds), "TVM does register these here")

    def test_ours_are_registered(self):
        self.assertEqual([name for name, (status, _) in self.table.items() if status == "ours" and name not in self.ours], [])

    def test_what_is_registered_is_called_ours(self):
        self.assertEqual([name for name, (status, _) in self.table.items() if status == "missing" and name in self.ours], [])

    def test_what_is_not_ours_has_a_reason(self):
        for name, (status, note) in {**self.table, **self.other_builds}.items():
            self.assertIn(status, STATUSES, name)
            self.assertTrue(status == "ours" or note, f"{name}: {status} without a reason")


if __name__ == "__main__":
    print("TVM", tvm.__version__, file=sys.stderr)
    unittest.main()
