# SPDX-License-Identifier: Apache-2.0
"""inspect: every fixture, in words and as JSON; files that are no executables."""

import json
import os
import shutil
import subprocess
import unittest

from cli import DATA, VM, CliTest


class Inspect(CliTest):
    def test_every_fixture_opens_and_lists(self):
        libraries = [path for year in ("tvm027", "tvm025") for path in sorted((DATA / "vm" / year).glob("*.so"))]
        self.assertGreater(len(libraries), 30)
        for path in libraries:
            with self.subTest(path=path.name):
                self.assert_says(self.succeeds("inspect", path), path.name, "x86-64", "Functions (", "Kernels (")

    def test_words(self):
        text = self.succeeds("inspect", VM / "mlp_dyn.so")
        self.assert_says(text, "forward", "x: float32 [n, 784]", "fc1.weight: float32 [256, 784]", "free dimensions: n", "vm.builtin.alloc_tensor", "Constants (")
        self.assertNotIn("\x1b", text)
        self.assertNotIn("Bytecode", text)

    def test_bytecode(self):
        text = self.succeeds("inspect", VM / "chain.so", "--bytecode")
        listing = (VM / "chain.listing.txt").read_text()
        self.assertIn(listing.strip().splitlines()[-1].strip(), text)

    def test_json(self):
        found = json.loads(self.succeeds("inspect", VM / "mlp_dyn.so", "--json", "--bytecode"))
        self.assertEqual(found["schema"], "opscope.inspect/1")
        self.assertEqual(found["architecture"], "x86-64")
        main = found["functions"][0]
        self.assertEqual(main["name"], "forward")
        self.assertEqual(main["mode"], "bytecode")
        self.assertEqual(main["free_dimensions"], ["n"])
        self.assertEqual(main["parameters"][0]["shape"], ["n", 784])
        self.assertEqual(main["parameters"][0]["dtype"], "float32")
        self.assertGreater(main["kernel_calls"], 0)
        self.assertTrue(all(kernel["name"] and kernel["call_sites"] for kernel in found["kernels"]))
        self.assertGreater(found["builtins"]["vm.builtin.alloc_storage"], 0)
        self.assertTrue(found["bytecode"])
        self.assertRegex(found["hash"], "^[0-9a-f]{32}$")

    def test_json_of_every_fixture_is_json(self):
        for path in sorted(VM.glob("*.so")):
            with self.subTest(path=path.name):
                self.assertEqual(json.loads(self.succeeds("inspect", path, "--json"))["schema"], "opscope.inspect/1")

    def test_constants_are_counted(self):
        found = json.loads(self.succeeds("inspect", VM / "mlp_const.so", "--json"))
        self.assertEqual(found["constants"]["count"], len(found["constants"]["values"]))
        self.assertGreater(found["constants"]["bytes"], 700_000)


class OtherArchitecture(CliTest):
    def setUp(self):
        super().setUp()
        content = bytearray((VM / "mlp.so").read_bytes())
        content[18:20] = (183).to_bytes(2, "little")  # e_machine: aarch64
        self.file = self.folder / "board.so"
        self.file.write_bytes(content)

    def test_it_can_be_looked_at(self):
        text = self.succeeds("inspect", self.file)
        self.assert_says(text, "CPU, aarch64", "cannot be run here", "forward", "Kernels (")
        self.assertNotIn("To profile it", text)
        found = json.loads(self.succeeds("inspect", self.file, "--json"))
        self.assertEqual((found["architecture"], found["runs_here"]), ("aarch64", False))

    def test_it_cannot_be_run(self):
        for command in ("run", "profile"):
            self.assert_says(self.fails(1, command, self.file), "is built for aarch64, this computer is x86-64",
                             "it can be inspected here")


class OtherDevices(CliTest):
    def test_what_cannot_be_run_here_is_not_suggested(self):
        text = self.succeeds("inspect", DATA / "vm" / "cuda" / "reqblock.so")
        self.assert_says(text, "cuda, with a host of x86-64 (cuda kernels cannot be run here)")
        self.assertNotIn("To profile it", text)


class OddNames(CliTest):
    NAME = "a\nopscope: error: b\x1b[31m.so"
    SHOWN = "a\\nopscope: error: b\\x1b[31m.so"

    def test_a_terminal_does_not_obey_the_name_of_a_file(self):
        shutil.copy(VM / "mlp.so", self.folder / self.NAME)
        (self.folder / "bad.so").write_text("no")
        (self.folder / "bad.so").rename(self.folder / ("bad" + self.NAME))
        text = self.succeeds("inspect", self.folder / self.NAME)
        self.assert_says(text, self.SHOWN)
        for printed in (text, self.fails(1, "inspect", self.folder / ("bad" + self.NAME)),
                        self.fails(1, "run", self.folder / ("missing" + self.NAME)),
                        self.fails(1, "report", self.folder / ("missing" + self.NAME))):
            self.assertNotIn("\x1b", printed)
            self.assertNotIn("\nopscope: error: b", printed)
            self.assert_says(printed, "opscope: error: b")

    def test_the_command_to_go_on_with_can_be_pasted(self):
        shutil.copy(VM / "mlp.so", self.folder / self.NAME)
        command = self.succeeds("inspect", self.folder / self.NAME).splitlines()[-1].strip()
        self.assertIn("$'", command)
        words = subprocess.run(["bash", "-c", "printf '%s\\0' " + command], capture_output=True, text=True, check=True).stdout
        self.assertEqual(words.split("\0")[2], str(self.folder / self.NAME))


class BadFiles(CliTest):
    def test_no_such_file(self):
        self.assert_says(self.fails(1, "inspect", self.folder / "none.so"), "none.so")

    def test_a_folder(self):
        self.assert_says(self.fails(1, "inspect", self.folder), str(self.folder))

    def test_not_elf(self):
        for name, content in (("text.so", b"hello"), ("empty.so", b""), ("zip.so", b"PK\x03\x04rest")):
            (self.folder / name).write_bytes(content)
            self.assert_says(self.fails(1, "inspect", self.folder / name), name)

    def test_a_library_without_an_executable(self):
        system = next(path for path in ("/lib/x86_64-linux-gnu/libm.so.6", "/lib64/libm.so.6") if os.path.exists(path))
        self.assert_says(self.fails(1, "inspect", system), "libm.so.6")

    def test_truncated(self):
        content = (VM / "mlp.so").read_bytes()
        for size in (10, 63, 64, 1000, len(content) // 2):
            path = self.folder / "short.so"
            path.write_bytes(content[:size])
            with self.subTest(size=size):
                self.assert_says(self.fails(1, "inspect", path), "short.so")

    def test_damaged_executable(self):
        content = (VM / "chain.so").read_bytes()
        place = content.index((0xD225DE2F4214151E).to_bytes(8, "little"))
        path = self.folder / "damaged.so"
        path.write_bytes(content[:place] + b"\xff" * 8 + content[place + 8:])
        self.assert_says(self.fails(1, "inspect", path), "damaged.so")

    def test_tvm_021(self):
        for mode in ("bytecode", "compiled"):
            text = self.succeeds("inspect", DATA / "vm" / "tvm021" / f"rich21_{mode}.so")
            self.assert_says(text, "TVM 0.21", "padd", "argsort")
            self.assertNotIn("__extendhfsf2", text)
        refused = self.fails(1, "run", DATA / "vm" / "tvm021" / "rich21_compiled.so", "--dim", "k=9")
        self.assert_says(refused, "compiled mode")

    def test_a_file_that_may_not_be_read(self):
        path = self.folder / "secret.so"
        shutil.copy(VM / "chain.so", path)
        path.chmod(0)
        if os.access(path, os.R_OK):  # root reads everything
            self.succeeds("inspect", path)
        else:
            self.assert_says(self.fails(1, "inspect", path), "secret.so")


if __name__ == "__main__":
    unittest.main()
