#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sampling, the older KV cache, parameters from folders and saved sequences against TVM's runtime."""
import os
import sys
import tempfile
import unittest

import numpy as np
import tvm
from tvm import relax

import kv_models
import kv_script

CLI = os.environ["OPSCOPE_CLI"]


class LanguageModels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.library = os.path.join(cls.folder.name, "model.so")
        cls.model = kv_models.Attention()
        cls.model.compile(cls.library)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def setUp(self):
        self.random = np.random.default_rng(3)

    def floats(self, *shape):
        return self.random.standard_normal(shape).astype("float32")

    def hold(self, script):
        expected, actual = script.run_in_tvm(), script.run_in_opscope(CLI)
        self.assertEqual(sorted(expected), sorted(actual))
        for name, array in expected.items():
            np.testing.assert_allclose(actual[name], array, rtol=1e-5, atol=1e-6, err_msg=name)

    def test_sampling(self):
        script = kv_script.Script(self.library)
        for i in range(40):
            logits = self.floats(1, 300) * 3
            weights = np.exp(logits)
            drawn, top_p = float(self.random.random()), float(self.random.uniform(0.3, 1.0))
            script.globally("sample_top_p_from_logits", logits, 0.8, top_p, drawn, out=f"out/logits/{i}")
            script.globally("sample_top_p_from_prob", weights / weights.sum(), top_p, drawn, out=f"out/prob/{i}")
        uniform = self.random.random((5, 1)).astype("float32")
        script.globally("multinomial_from_uniform", np.full((5, 8), 0.125, "float32"), uniform, out="out/multinomial")
        self.hold(script)

    def test_penalties_and_softmax(self):
        script = kv_script.Script(self.library)
        logits = script.call("rows", self.floats(1, 50))
        tokens, counts = np.array([3, 9, 49], "int32"), np.array([1, 5, 2], "int32")
        script.globally("apply_repetition_penalty", logits, tokens, 1.3)
        script.globally("apply_presence_and_frequency_penalty", logits, tokens, counts, 0.4, 0.2)
        script.globally("apply_softmax_with_temperature", logits, 0.7)
        script.call("rows", logits, out="out/probabilities")
        self.hold(script)

    def test_older_kv_cache(self):
        script = kv_script.Script(self.library)
        cache = script.globally("attention_kv_cache_create", self.floats(3, 4), [4, 4], -1)
        for i in range(5):
            script.globally("attention_kv_cache_append", cache, self.floats(i, 4))
        script.globally("attention_kv_cache_view", cache, out="out/rows")
        ring = script.globally("attention_kv_cache_create", self.floats(1, 4), [2, 4], 0)
        for count in (1, 2, 3, 1, 4, 2, 5):
            script.globally("attention_kv_cache_window_override_with_sinks", ring, self.floats(count, 4), 7, 2)
        script.globally("attention_kv_cache_view", ring, out="out/ring")
        self.hold(script)

    def test_parameters_from_a_folder(self):
        from tvm.contrib import tvmjs
        parameters = {f"p_{i}": self.floats(i + 1, 3) for i in range(4)}
        with tempfile.TemporaryDirectory() as folder:
            tvmjs.dump_tensor_cache(parameters, folder, encode_format="f32-to-bf16", show_progress=False)
            script = kv_script.Script(self.library)
            script.globally("tensor_cache.load", folder, 1, 0)
            for name in parameters:
                script.globally("tensor_cache.get", name, out=f"out/{name}")
            self.hold(script)

    @unittest.skipUnless(kv_models.has_layer_windows(), "sequences are saved since TVM 0.27")
    def test_sequence_saved_by_tvm(self):
        function = lambda name: tvm.get_global_func("vm.builtin." + name)
        shape = tvm.runtime.ShapeTuple
        machine = relax.VirtualMachine(tvm.runtime.load_module(self.library), tvm.cpu())
        cache = machine["create_cache"](shape([2]), shape([64]), shape([32]), shape([16]), shape([0]))

        def forward(tokens, qkv):
            function("kv_state_begin_forward")(cache, shape([0]), shape([tokens]))
            return machine["attend"](tvm.runtime.tensor(qkv), cache).numpy()

        function("kv_state_add_sequence")(cache, 0)
        forward(21, self.floats(1, 21, 8, 16))
        metadata = str(function("attention_kv_cache_get_checkpoint_metadata")(cache, 0))
        groups = [tvm.runtime.tensor(np.zeros((1, 2, 2, 2, 16, 16), "float32")) for _ in range(2)]
        for layer, group in enumerate(groups):
            function("attention_kv_cache_export_page_group")(cache, 0, layer, group)
        more = self.floats(1, 3, 8, 16)
        expected = forward(3, more)

        script = kv_script.Cache(self.library, self.model, batch=3, tokens=128)
        script.of_cache("prepare_import", 0, metadata)
        for layer, group in enumerate(groups):
            script.of_cache("import_page_group", 0, layer, group.numpy())
        script.of_cache("finish_import", 0)
        script.state("begin_forward", [0], [3])
        script.call("attend", more, script.cache, out="out/more")
        np.testing.assert_allclose(script.run_in_opscope(CLI)["out/more"], expected, rtol=1e-5, atol=1e-5)


if __name__ == "__main__":
    print("TVM", tvm.__version__, file=sys.stderr)
    unittest.main()
