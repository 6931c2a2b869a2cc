# SPDX-License-Identifier: Apache-2.0
"""run --dump and run --check-finite: the tensors of every call, and where values stop being finite."""

import io
import json
import os
import struct
import subprocess
import unittest
import zipfile

from cli import DATA, PROGRAM, VM, CliTest


def npy(shape, values, descr="<f4", code="f"):
    """A .npy file."""
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    text += " " * (64 - (11 + len(text)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + struct.pack(f"<{len(values)}{code}", *values)


def floats(archive, key, code="f"):
    content = archive.read(key + ".npy")
    data = content[10 + struct.unpack_from("<H", content, 8)[0]:]
    return struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data)


def scenario(name):
    return (VM / f"{name}.so", "--scenario", VM / f"{name}.scenario.json", "--inputs", VM / f"{name}.npz")


class Dump(CliTest):
    def dumped(self, *arguments):
        self.succeeds("run", *arguments, "--dump", self.folder / "calls.npz")
        archive = zipfile.ZipFile(self.folder / "calls.npz")
        self.addCleanup(archive.close)
        self.assertIsNone(archive.testzip())
        return archive

    def test_every_call_by_number_and_name(self):
        calls = self.dumped(VM / "chain.so", "--input", "0=const:1.5")
        sums = [name for name in calls.namelist() if name.endswith("/add/arg2.npy")]
        self.assertEqual(len(sums), 300)
        self.assertEqual(sums, sorted(sums, key=lambda name: int(name.split("/")[0])))
        for i, name in enumerate(sums):
            self.assertEqual(floats(calls, name[:-4]), (1.5 * (i + 2),) * 16)
        self.assertEqual(floats(calls, "4/add/arg0"), (1.5,) * 16)

    def test_with_a_scenario(self):
        names = self.dumped(*scenario("tuples")).namelist()
        self.assertTrue(any(name.endswith("/split/arg2.npy") for name in names), names)

    def test_an_executable_of_tvm_021(self):
        folder = DATA / "vm" / "tvm021"
        calls = self.dumped(folder / "chain21.so", "--input", "0=ones")
        sums = [name for name in calls.namelist() if name.endswith("/arg2.npy")]
        self.assertEqual(floats(calls, sums[0][:-4]), (2.0,) * 16)

    def test_it_is_told_and_the_results_are_too(self):
        done = self.run_cli("run", VM / "chain.so", "--dump", self.folder / "calls.npz", "--outputs", self.folder / "out.npz")
        self.assert_says(done.stderr, "calls.npz: 900 tensors of 300 calls, ")
        self.assert_says(done.stdout, "out  float32 [16]")
        self.assertNotIn("took", done.stdout)
        self.assert_folder_holds("calls.npz", "out.npz")

    def test_json(self):
        found = json.loads(self.succeeds("run", VM / "chain.so", "--dump", self.folder / "c.npz", "--json"))
        self.assertEqual(found["dump"]["calls"], 300)
        self.assertEqual(found["dump"]["bytes"], os.path.getsize(self.folder / "c.npz"))
        self.assertNotIn("duration_us", found)

    def test_what_was_dumped_before_a_failure_is_kept(self):
        done = self.run_cli("run", VM / "printassert.so", "--input", "1=const:0", "--dump", self.folder / "c.npz")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assert_says(done.stderr, "c.npz holds what was dumped before that: 1 tensor of 1 call.")
        with zipfile.ZipFile(self.folder / "c.npz") as calls:
            self.assertTrue(calls.namelist())

    def test_to_standard_output(self):
        kept = self.dumped(VM / "chain.so")
        done = subprocess.run([PROGRAM, "run", str(VM / "chain.so"), "--dump", "-"], capture_output=True, timeout=120, check=True)
        with zipfile.ZipFile(io.BytesIO(done.stdout)) as calls:
            self.assertIsNone(calls.testzip())
            self.assertEqual(calls.namelist(), kept.namelist())
            for name in calls.namelist():
                self.assertEqual(calls.read(name), kept.read(name))
        self.assertIn(b"standard output: ", done.stderr)
        self.assert_says(self.fails(2, "run", VM / "chain.so", "--dump", "-", "--json"), "--dump and --json", "standard output")

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_standard_output_that_is_full(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([PROGRAM, "run", str(VM / "chain.so"), "--dump", "-"], stdout=full, stderr=subprocess.PIPE,
                                  text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 1)
        self.assert_says(done.stderr, "Cannot write to standard output", "No space left")

    def test_a_limit(self):
        done = self.run_cli("run", VM / "mlp.so", "--dump", self.folder / "c.npz", "--dump-limit", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_says(done.stderr, "The dump ends after 1 MB", "--dump-limit")

    def test_compiled_functions_show_their_calls(self):
        arrays = {}
        for name in ("chain", "chain_compiled"):
            self.succeeds("run", VM / f"{name}.so", "--dump", self.folder / f"{name}.npz")
            with zipfile.ZipFile(self.folder / f"{name}.npz") as calls:
                arrays[name] = [calls.read(entry) for entry in calls.namelist() if "/add/" in entry]
        self.assertEqual(len(arrays["chain"]), 900)
        self.assertEqual(arrays["chain_compiled"], arrays["chain"])

    def test_where_it_cannot_be_written(self):
        self.assert_says(self.fails(1, "run", VM / "chain.so", "--dump", self.folder / "no" / "c.npz"), "c.npz")
        same = self.folder / "same.npz"
        self.assert_says(self.fails(2, "run", VM / "chain.so", "--dump", same, "--outputs", same), "same")
        self.assert_folder_holds()

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_a_disk_that_is_full(self):
        self.assert_says(self.fails(1, "run", VM / "chain.so", "--dump", "/dev/full"), "/dev/full", "not kept")


class CheckFinite(CliTest):
    def test_all_finite(self):
        self.assert_says(self.succeeds("run", VM / "chain.so", "--check-finite"), "all finite: the outputs of 300 calls")

    def test_the_op_that_makes_them(self):
        text = self.fails(3, "run", VM / "chain.so", "--check-finite", "--input", "0=const:1e38")
        # 1e38, 2e38, 3e38, then Inf
        self.assert_says(text, "add makes the first values that are not finite: call 10, in main, instruction 10",
                         "arg2, float32 [16]: 16 Inf of 16 values, the first (inf) at [0]", "What went in is finite")

    def test_an_input_that_holds_them(self):
        values = [1.0] * 784
        values[3] = float("nan")
        (self.folder / "x.npy").write_bytes(npy("(1, 784)", values))
        text = self.fails(3, "run", VM / "mlp.so", "--check-finite", "--input", f"0=@{self.folder / 'x.npy'}")
        self.assert_says(text, "matmul is the first op whose output is not finite, but its inputs are not either",
                         "arg0, input x, float32 [1, 784]: 1 NaN of 784 values, the first (nan) at [0, 3]")

    def test_half_precision(self):
        found = self.run_cli("run", VM / "fp16.so", "--check-finite", "--json", "--input", "0=const:60000")
        self.assertEqual(found.returncode, 3, found.stderr)
        finite = json.loads(found.stdout)["finite"]
        self.assertFalse(finite["holds"])
        self.assertIn("float16", finite["output"]["value"])
        self.assertEqual(finite["inputs"], [])

    def test_compiled_functions(self):
        text = self.fails(3, "run", VM / "chain_compiled.so", "--check-finite", "--input", "0=const:1e38")
        self.assert_says(text, "add makes the first values that are not finite", "in main",
                         "arg2, float32 [16]: 16 Inf of 16 values, the first (inf) at [0]", "What went in is finite")

    def test_the_dump_ends_with_the_call(self):
        done = self.run_cli("run", VM / "chain.so", "--check-finite", "--input", "0=const:1e38", "--dump",
                            self.folder / "c.npz")
        self.assertEqual(done.returncode, 3)
        with zipfile.ZipFile(self.folder / "c.npz") as calls:
            self.assertEqual(calls.namelist()[-1], "10/add/arg2.npy")
            self.assertEqual(floats(calls, "10/add/arg2"), (float("inf"),) * 16)

    def test_json_when_it_holds(self):
        found = json.loads(self.succeeds("run", VM / "chain.so", "--check-finite", "--json"))
        self.assertEqual(found["finite"], {"holds": True, "calls_checked": 300})


if __name__ == "__main__":
    unittest.main()
