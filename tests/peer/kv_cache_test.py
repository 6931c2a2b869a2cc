#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The paged KV cache against TVM's: the same passes on executables that this TVM compiles now, step by step.

Compared are attention outputs, query positions, free pages and lengths after every pass.
"""
import os
import sys
import tempfile
import unittest

import numpy as np
import tvm
from tvm.relax.frontend.nn.llm.kv_cache import RopeMode

import kv_models
import kv_script

CLI = os.environ["OPSCOPE_CLI"]
FOLDER = tempfile.TemporaryDirectory()
MODELS = {}


def compiled(name, **settings):
    """(library, model), compiled once."""
    if name not in MODELS:
        model = kv_models.Attention(**settings)
        path = os.path.join(FOLDER.name, name + ".so")
        model.compile(path)
        MODELS[name] = path, model
    return MODELS[name]


def new_script(name="normal", settings=None, **sizes):
    return kv_script.Cache(*compiled(name, **(settings or {})), **sizes)


class AgainstTvm(unittest.TestCase):
    def hold(self, script):
        expected, actual = script.run_in_tvm(), script.run_in_opscope(CLI)
        self.assertEqual(sorted(expected), sorted(actual))
        self.assertGreater(len(expected), 0)
        for name, array in expected.items():
            self.assertEqual(array.shape, actual[name].shape, name)
            np.testing.assert_allclose(actual[name], array, rtol=1e-5, atol=1e-5, err_msg=name)

    def prefill_and_decode(self, script):
        script.add(0)
        script.forward({0: 7})
        for _ in range(12):  # over a page border
            script.forward({0: 1})
        script.forward({0: 30})
        script.forward({0: 1})
        self.hold(script)

    def test_rope_normal(self):
        self.prefill_and_decode(new_script())

    def test_rope_none(self):
        self.prefill_and_decode(new_script("none", {"rope": RopeMode.NONE}))

    def test_rope_inline(self):
        self.prefill_and_decode(new_script("inline", {"rope": RopeMode.INLINE}))

    def test_heads_without_groups(self):
        self.prefill_and_decode(new_script("mha", {"heads": 3, "kv_heads": 3, "layers": 1}))

    def test_heads_that_share_one_key(self):
        self.prefill_and_decode(new_script("mqa", {"heads": 4, "kv_heads": 1}))

    def test_several_sequences_in_one_pass(self):
        script = new_script()
        script.add(5, 2, 9)
        script.forward({5: 16, 2: 3, 9: 20})
        script.forward({2: 1, 9: 1, 5: 1})
        script.forward({9: 5, 2: 1})
        script.state("remove_sequence", 9)
        script.add(9)
        script.forward({9: 17, 5: 1, 2: 2})
        script.forward({5: 1, 2: 1, 9: 1})
        self.hold(script)

    def forks(self, script):
        script.add(0)
        script.forward({0: 40})
        for child, position in ((1, -1), (2, 32), (3, 21)):
            script.state("fork_sequence", 0, child, position)
        script.forward({0: 1, 1: 1, 2: 1, 3: 1})
        script.forward({0: 3, 2: 12, 3: 1})
        script.state("fork_sequence", 3, 7, 5)
        script.state("remove_sequence", 0)
        script.forward({7: 4, 1: 1, 2: 1, 3: 1})
        script.forward({7: 1, 1: 1, 2: 1, 3: 1})
        script.forward({1: 9, 3: 9})
        self.hold(script)

    def test_fork(self):
        self.forks(new_script())

    def test_fork_with_inline_rope(self):
        self.forks(new_script("inline", {"rope": RopeMode.INLINE}))

    def test_fork_at_a_page_border(self):
        script = new_script()
        script.add(0)
        script.forward({0: 32})
        script.state("fork_sequence", 0, 1, -1)
        script.state("fork_sequence", 0, 2, 16)
        script.forward({0: 1, 1: 1, 2: 1})
        script.forward({0: 16, 1: 2, 2: 15})
        self.hold(script)

    def test_forks_of_forks_are_deeper_than_the_plan(self):
        script = new_script(batch=5, tokens=512)
        script.add(0)
        script.forward({0: 37})
        for child in range(1, 5):
            script.state("fork_sequence", child - 1, child, -1)
            script.forward({child: 20, child - 1: 1})
        script.forward({child: 1 for child in range(5)})
        script.forward({child: 2 for child in range(5)})
        self.hold(script)

    def test_many_share_a_long_prefix(self):
        script = new_script(batch=40, tokens=1024)
        script.add(0)
        script.forward({0: 80})
        for child in range(1, 40):
            script.state("fork_sequence", 0, child, 64)
        script.forward({child: 1 for child in range(1, 40)})
        script.forward({child: 1 for child in range(40)})
        self.hold(script)

    def test_popn(self):
        script = new_script()
        script.add(0)
        script.forward({0: 40})
        script.state("popn", 0, 3)
        script.forward({0: 1})
        script.state("popn", 0, 22)
        script.forward({0: 2})
        script.state("popn", 0, 18)
        script.forward({0: 9})
        self.hold(script)

    def test_popn_into_a_shared_prefix(self):
        script = new_script()
        script.add(0)
        script.forward({0: 40})
        script.state("fork_sequence", 0, 1, -1)
        script.state("fork_sequence", 0, 2, 35)
        script.forward({0: 1, 1: 1, 2: 30})
        script.state("popn", 1, 20)
        script.state("popn", 2, 33)
        script.forward({0: 1, 1: 1, 2: 1})
        script.forward({0: 4, 1: 14, 2: 1})
        self.hold(script)

    def test_clear(self):
        script = new_script()
        script.add(0, 1)
        script.forward({0: 40, 1: 3})
        script.state("clear")
        script.of_cache("empty", out="out/empty")
        script.add(1)
        script.forward({1: 5})
        script.of_cache("empty", out="out/not_empty")
        self.hold(script)

    def slide(self, sink, window, tokens=256, first=24):
        script = new_script("inline", {"rope": RopeMode.INLINE}, sliding=1, tokens=tokens)
        script.add(0, 1)
        script.of_cache("enable_sliding_window_for_seq", 0, window, sink)
        script.forward({0: first, 1: 5})
        for _ in range(24):
            script.forward({0: 1, 1: 1})
        script.forward({0: 10})
        script.forward({0: 33, 1: 2})
        script.forward({0: 1})
        self.hold(script)

    def test_sliding_window(self):
        self.slide(sink=0, window=32)

    def test_sliding_window_with_sink(self):
        self.slide(sink=4, window=32)

    def test_sliding_window_with_sink_of_more_than_a_page(self):
        self.slide(sink=20, window=40)

    def test_sliding_window_with_sink_of_a_page(self):
        self.slide(sink=16, window=50, first=70)

    def test_sliding_window_with_few_pages(self):
        self.slide(sink=4, window=32, tokens=64)

    def test_sliding_window_after_a_fork(self):
        script = new_script("inline", {"rope": RopeMode.INLINE}, sliding=1)
        script.add(0)
        script.forward({0: 20})
        script.state("fork_sequence", 0, 1, 16)
        script.of_cache("enable_sliding_window_for_seq", 1, 40, 20)
        script.forward({0: 1, 1: 10})
        for _ in range(20):
            script.forward({0: 1, 1: 2})
        self.hold(script)

    def test_self_and_cross_attention(self):
        script = new_script()
        script.add(0, 1)
        script.forward({0: 20, 1: 5})
        for lengths in ([3, 4], [1, 2]):
            script.state("begin_forward", [0, 1], lengths)
            tokens, model = sum(lengths), script.model
            q = script.random.standard_normal((1, tokens, model.heads, 16)).astype("float32")
            kv = [script.random.standard_normal((1, tokens, model.kv_heads, 16)).astype("float32") for _ in range(2)]
            for member in range(3):
                script.call("parts", q, *kv, script.cache, out=f"out/parts{tokens}/{member}", only=member)
            for member in range(2):
                script.call("cross", q, script.cache, out=f"out/cross{tokens}/{member}", only=member)
            for sequence, length in enumerate(lengths):  # nothing was appended for them
                script.state("popn", sequence, length)
        self.hold(script)

    def test_debug_get_kv(self):
        script = new_script()
        script.add(0)
        script.forward({0: 40})
        script.state("fork_sequence", 0, 1, 21)
        script.forward({0: 2, 1: 5})
        for sequence, first, last in ((0, 0, 42), (1, 10, 26)):
            shape = (script.model.layers, last - first, script.model.kv_heads, 16)
            keys, values = (script.call("blank", np.zeros(shape, "float32")) for _ in range(2))
            script.of_cache("debug_get_kv", sequence, first, last, keys, values)
            script.call("blank", keys, out=f"out/keys{sequence}")
            script.call("blank", values, out=f"out/values{sequence}")
        self.hold(script)

    @unittest.skipUnless(kv_models.has_layer_windows(), "layers have windows to choose since TVM 0.27")
    def test_layers_with_windows(self):
        settings = {"kinds": ["mha", "mha_sliding"], "layer_window": 24}
        script = new_script("windows", settings)
        script.add(0, 1)
        script.forward({0: 20, 1: 70})
        for _ in range(8):
            script.forward({0: 1, 1: 1})
        script.forward({0: 30, 1: 3})
        script.forward({0: 1, 1: 1})
        self.hold(script)


class TokenTrees(unittest.TestCase):
    """Against NumPy: TVM's runtime calls the two tree kernels of CPU executables with each other's arguments."""

    def attention(self, queries, keys):
        """One row of q, k and v with the rows that it sees."""
        q, k, v = queries[:4], np.repeat(keys[:, 4:6], 2, 1), np.repeat(keys[:, 6:8], 2, 1)
        weights = np.exp(np.einsum("hd,khd->hk", q, k) * kv_models.HEAD**-0.5)
        return np.einsum("hk,khd->hd", weights / weights.sum(1, keepdims=True), v)

    def expected(self, history, tree, parents):
        rows = []
        for node in range(len(tree)):
            path = []
            while node != -1:
                path.insert(0, node)
                node = parents[node]
            rows.append(self.attention(tree[path[-1]], np.concatenate([history, tree[path]])))
        return np.stack(rows)

    def setUp(self):
        self.script = new_script("plain", {"rope": RopeMode.NONE, "layers": 1})

    def given(self, pass_index):
        return list(self.script.arrays.values())[pass_index][0].astype("float64")

    def test_tree_then_accepted_path(self):
        script = self.script
        script.add(0)
        script.forward({0: 20})
        tree = script.forward({0: 6}, parents=[-1, 0, 0, 1, 1, 2])
        script.of_cache("commit_accepted_token_tree_nodes", [0], [4])
        after = script.forward({0: 2})
        actual = script.run_in_opscope(CLI)
        history, nodes, last = (self.given(i) for i in range(3))
        np.testing.assert_allclose(actual[tree][0], self.expected(history, nodes, [-1, 0, 0, 1, 1, 2]), atol=1e-5)
        self.assertEqual(list(actual[tree + "/positions"]), [20, 21, 21, 22, 22, 22])
        self.assertEqual(actual[tree + "/length"], 26)
        history = np.concatenate([history, nodes[[0, 1, 4]]])
        np.testing.assert_allclose(actual[after][0], self.expected(history, last, [-1, 0]), atol=1e-5)
        self.assertEqual(actual[after + "/length"], 25)

    def test_tree_that_grows_over_passes_in_two_sequences(self):
        script = self.script
        script.add(0, 1)
        script.forward({0: 15, 1: 3})
        script.forward({0: 3, 1: 1}, parents=[-1, 0, 0, -1])
        grown = script.forward({0: 2, 1: 2}, parents=[1, 2, -1, 0])
        script.of_cache("commit_accepted_token_tree_nodes", [0, 1], [4, -1])
        after = script.forward({0: 1, 1: 1})
        actual = script.run_in_opscope(CLI)
        first, begun, more, last = (self.given(i) for i in range(4))
        trees = [np.concatenate([begun[:3], more[:2]]), np.concatenate([begun[3:], more[2:]])]
        rows = [self.expected(first[:15], trees[0], [-1, 0, 0, 1, 2])[3:],
                self.expected(first[15:], trees[1], [-1, -1, 0])[1:]]
        np.testing.assert_allclose(actual[grown][0], np.concatenate(rows), atol=1e-5)
        self.assertEqual(list(actual[grown + "/positions"]), [17, 17, 3, 4])
        histories = [np.concatenate([first[:15], trees[0][[0, 2, 4]], last[:1]]), np.concatenate([first[15:], last[1:]])]
        rows = [self.attention(last[i], histories[i]) for i in range(2)]
        np.testing.assert_allclose(actual[after][0], np.stack(rows), atol=1e-5)


if __name__ == "__main__":
    print("TVM", tvm.__version__, file=sys.stderr)
    unittest.main()
