# SPDX-License-Identifier: Apache-2.0
"""run: results in words, as JSON and as arrays; wrong inputs and kernels that fail."""

import json
import os
import shutil
import struct
import subprocess
import unittest
import zipfile

from cli import DATA, PROGRAM, VM, CliTest


def npy_values(content, code):
    """Elements of a one-type .npy file."""
    length = struct.unpack_from("<H", content, 8)[0]
    data = content[10 + length:]
    return struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data)


def scenario(name):
    return (VM / f"{name}.so", "--scenario", VM / f"{name}.scenario.json", "--inputs", VM / f"{name}.npz")


class Run(CliTest):
    def test_words(self):
        text = self.succeeds("run", *scenario("tuples"))
        self.assert_says(text, "out/0    float32 [4, 6]", "out/1/1  float32 [4, 3]", "took ")

    def test_quiet(self):
        self.assertEqual(self.succeeds("run", *scenario("tuples"), "--quiet"), "")

    def test_json(self):
        found = json.loads(self.succeeds("run", *scenario("recursion"), "--json"))
        self.assertEqual((found["schema"], found["target"]), ("opscope.run/1", "local"))
        self.assertGreater(found["duration_us"], 0)
        self.assertEqual(found["outputs"][0]["path"], "out")
        self.assertEqual(found["outputs"][0]["value"], "int32 []")

    def test_outputs_are_those_of_tvm(self):
        self.succeeds("run", *scenario("tuples"), "--outputs", self.folder / "out.npz")
        with zipfile.ZipFile(self.folder / "out.npz") as written, zipfile.ZipFile(VM / "tuples.npz") as expected:
            self.assertEqual(written.namelist(), ["out/0.npy", "out/1/0.npy", "out/1/1.npy", "out/2.npy"])
            for name in written.namelist():
                self.assertEqual(npy_values(written.read(name), "f"), npy_values(expected.read(name), "f"))

    def test_outputs_to_standard_output(self):
        done = subprocess.run([PROGRAM, "run", *map(str, scenario("recursion")), "--outputs", "-"], capture_output=True,
                              check=True)
        (self.folder / "piped.npz").write_bytes(done.stdout)
        with zipfile.ZipFile(self.folder / "piped.npz") as written:
            self.assertEqual(written.namelist(), ["out.npy"])

    def test_default_inputs_are_the_same_each_time(self):
        first = json.loads(self.succeeds("run", VM / "chain.so", "--json"))["outputs"]
        self.assertEqual(json.loads(self.succeeds("run", VM / "chain.so", "--json"))["outputs"], first)
        other = json.loads(self.succeeds("run", VM / "chain.so", "--json", "--input", "0=random:1"))["outputs"]
        self.assertNotEqual(other, first)

    def test_input_kinds(self):
        # x + x, 300 times over: what matters is that each is taken
        for value in ("zeros", "ones", "range", "const:2.5", "random:3:-1:1", "16:float32:ones"):
            self.succeeds("run", VM / "chain.so", "--input", f"0={value}", "--quiet")

    def test_what_a_model_prints_goes_to_standard_error(self):
        done = self.run_cli("run", *scenario("printassert"), "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        json.loads(done.stdout)
        self.assertIn("x is ", done.stderr)

    def test_free_dimensions(self):
        text = self.succeeds("run", VM / "mlp_dyn.so", "--dim", "n=3")
        self.assert_says(text, "[3, 10]")

    def test_settings_are_taken(self):
        for options in (("--threads", "2"), ("--pin", "off"), ("--spin-us", "0"), ("--allocator", "naive"),
                        ("--device", "cpu:0"), ("--device", "cpu"), ("--target", "local")):
            self.succeeds("run", VM / "parallel.so", "--quiet", *options)


class WrongInputs(CliTest):
    def test_shape_rank_dtype_and_names(self):
        for value, words in (("0=2x784:float32:zeros", ("784", "[2, 784]")), ("0=784:float32:zeros", ("784",)),
                             ("0=1x784:int32:zeros", ("float32", "int32")), ("nobody=zeros", ("nobody",)),
                             ("9=zeros", ("9",)), ("0=nonsense", ("nonsense",))):
            with self.subTest(value=value):
                self.assert_says(self.fails(1, "run", VM / "mlp.so", "--input", value), *words)

    def test_unknown_function_and_device(self):
        self.assert_says(self.fails(1, "run", VM / "mlp.so", "-f", "froward"), "froward", "Did you mean \"forward\"?")
        self.assert_says(self.fails(1, "run", VM / "mlp.so", "--device", "cuda:0"), "cuda:0")

    def test_one_of_several_functions_has_to_be_named(self):
        llama = VM / "tiny_llama.so"
        for command in (["run"], ["profile"], ["time"], ["run", "--target", "isolated"]):
            self.assert_says(self.fails(2, *command, llama), "4 functions and none called main",
                             "Name one with -f: create_cache, decode, embed and prefill")
        self.assert_says(self.fails(2, "diverge", llama, llama), "Name one with -f: create_cache")
        self.assertNotIn("Name one with", self.fails(1, "run", llama, "-f", "none"))

    def test_kernels_of_other_devices_are_refused_before_anything_runs(self):
        cuda = DATA / "vm" / "cuda" / "reqblock.so"
        for command in ("run", "profile"):
            self.assert_says(self.fails(1, command, cuda), "has kernels for cuda, which cannot be run here", "cpu:0")

    def test_unknown_dimension(self):
        self.assert_says(self.fails(1, "run", VM / "mlp_dyn.so", "--dim", "m=3"), "m")

    def test_bad_arrays(self):
        for name, content in (("bad.npy", b"not numpy"), ("cut.npy", b"\x93NUMPY\x01\x00\xff\xff{")):
            (self.folder / name).write_bytes(content)
            self.assert_says(self.fails(1, "run", VM / "mlp.so", "--input", f"0=@{self.folder / name}"), name)
        (self.folder / "bad.npz").write_bytes(b"PK no")
        self.assert_says(self.fails(1, "run", VM / "mlp.so", "--inputs", self.folder / "bad.npz"), "bad.npz")
        self.assert_says(self.fails(1, "run", VM / "mlp.so", "--input", "0=@nowhere.npy"), "nowhere.npy")

    def test_arrays_that_are_no_inputs(self):
        with zipfile.ZipFile(self.folder / "empty.npz", "w"):
            pass
        text = self.fails(1, "run", VM / "mlp.so", "--inputs", self.folder / "empty.npz")
        self.assert_says(text, "empty.npz holds no array", "forward takes")
        shutil.copy(DATA / "arrays" / "stored.npz", self.folder / "other.npz")
        text = self.fails(1, "run", VM / "mlp.so", "--inputs", self.folder / "other.npz")
        self.assert_says(text, "other.npz holds", "no input", "arg0")

    def test_bad_scenarios(self):
        for text, words in (("{", ("s.json",)), ('{"steps": 5}', ("steps",)),
                            ('{"steps": [{"func": "main", "args": [{"npz": "in/0"}], "typo": 1}]}', ("typo",)),
                            ('{"steps": [{"func": "nobody", "args": []}]}', ("nobody", "steps[0]")),
                            ('{"steps": [{"func": "main", "args": []}]}', ("main",)),
                            ('{"steps": [{"func": "main", "args": [{"ret": 3}]}]}', ("steps[0]",)),
                            ('{"steps": [{"func": "main", "args": [{"npz": "none"}]}]}', ("none",))):
            (self.folder / "s.json").write_text(text)
            with self.subTest(text=text):
                self.assert_says(self.fails(1, "run", VM / "chain.so", "--scenario", self.folder / "s.json", "--inputs",
                                            VM / "chain.npz"), *words)

    def test_a_scenario_without_its_arrays(self):
        self.assert_says(self.fails(1, "run", VM / "chain.so", "--scenario", VM / "chain.scenario.json"), "--inputs")


class Failures(CliTest):
    def test_missing_functions_are_named(self):
        for name, function in (("dpspacked", "proto.dps_add"), ("kernelcall", "proto.dps_add")):
            self.assert_says(self.fails(1, "run", *scenario(name)), function)

    def test_a_plugin_that_is_none(self):
        (self.folder / "plug.so").write_bytes(b"no library")
        self.assert_says(self.fails(1, "run", VM / "chain.so", "--plugin", self.folder / "plug.so"), "plug.so")

    def test_an_assertion_of_the_model(self):
        done = self.run_cli("run", VM / "printassert.so", "--input", "1=const:0")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assert_says(done.stderr, "opscope: error: ", "main")

    def test_outputs_that_cannot_be_written(self):
        self.assert_says(self.fails(1, "run", *scenario("tuples"), "--outputs", self.folder / "no" / "out.npz"), "out.npz")
        self.assert_says(self.fails(1, "run", *scenario("tuples"), "--outputs", self.folder), str(self.folder))
        self.assert_folder_holds()

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_standard_output_that_is_full(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([PROGRAM, "run", str(VM / "chain.so")], stdout=full, stderr=subprocess.PIPE, text=True,
                                  check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard output", done.stderr)


if __name__ == "__main__":
    unittest.main()
