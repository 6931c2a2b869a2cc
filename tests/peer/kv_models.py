# SPDX-License-Identifier: Apache-2.0
"""Small executables with TVM's paged KV cache, compiled by whatever TVM this Python has (0.25 to 0.27)."""
import inspect

import tvm
from tvm import relax
from tvm.relax.frontend import nn
from tvm.relax.frontend.nn import op
from tvm.relax.frontend.nn.llm.kv_cache import PagedKVCache, RopeMode, TIRPagedKVCache
from tvm.target import Target

HEAD = 16
PAGE = 16  # TVM's CPU kernels know no other page size


class Attention(nn.Module):
    """Attention alone: the caller gives q, k and v of each layer, so that no weights are needed."""

    def __init__(self, layers=2, heads=4, kv_heads=2, rope=RopeMode.NORMAL, kinds="mha", layer_window=None):
        self.layers, self.heads, self.kv_heads = layers, heads, kv_heads
        self.rope, self.kinds, self.layer_window = rope, kinds, layer_window

    def attend(self, qkv, cache):
        total = None
        for layer in range(self.layers):
            scaled = op.multiply(qkv, nn.Tensor.from_scalar(1.0 - 0.25 * layer, "float32"))
            part = cache.attention_with_fused_qkv(layer, scaled, self.heads, sm_scale=HEAD**-0.5)
            total = part if total is None else total + part
        return total

    def parts(self, q, k, v, cache):
        own, own_lse = cache.self_attention(0, q, k, v, sm_scale=HEAD**-0.5)
        return own, own_lse, cache.get_query_positions(q.shape[0] * q.shape[1])

    def cross(self, q, cache):
        return cache.cross_attention(0, q, v_head_dim=HEAD, sm_scale=HEAD**-0.5)

    def blank(self, data):
        return op.reshape(data, data.shape)  # the same memory, as an object that other steps can write to

    def rows(self, data):
        return op.reshape(data, data.shape)

    def create_cache(self, max_batch_size, max_total_seq_len, prefill_chunk_size, page_size, support_sliding_window):
        extra = {} if self.layer_window is None else {"layer_sliding_window_size": self.layer_window}
        return TIRPagedKVCache(
            attn_kind=self.kinds, max_batch_size=max_batch_size, max_total_seq_len=max_total_seq_len,
            prefill_chunk_size=prefill_chunk_size, page_size=page_size, support_sliding_window=support_sliding_window,
            layer_partition=relax.ShapeExpr([0, self.layers]), num_hidden_layers=self.layers,
            num_attention_heads=self.heads, num_key_value_heads=self.kv_heads, qk_head_dim=HEAD, v_head_dim=HEAD,
            mla_original_qk_head_dim=0, mla_original_v_head_dim=0, rope_mode=self.rope, rope_scale=1, rope_theta=10000,
            rope_scaling={}, rope_ext_factors=_no_factors(), rotary_dim=HEAD, enable_disaggregation=False,
            dtype="float32", target=Target({"kind": "llvm"}), **extra)

    def compile(self, path):
        cache = nn.spec.Object(object_type=PagedKVCache)
        plain = {"param_mode": "none", "effect_mode": "none"}
        sizes = ["max_batch_size", "max_total_seq_len", "prefill_chunk_size", "page_size", "support_sliding_window"]
        part = nn.spec.Tensor([1, "n", self.heads, HEAD], "float32")
        kv_part = nn.spec.Tensor([1, "n", self.kv_heads, HEAD], "float32")
        fused = nn.spec.Tensor([1, "n", self.heads + 2 * self.kv_heads, HEAD], "float32")
        spec = {
            "attend": {"qkv": fused, "cache": cache, "$": plain},
            "parts": {"q": part, "k": kv_part, "v": kv_part, "cache": cache, "$": plain},
            "cross": {"q": part, "cache": cache, "$": plain},
            "blank": {"data": nn.spec.Tensor(["l", "n", self.kv_heads, HEAD], "float32"), "$": plain},
            "rows": {"data": nn.spec.Tensor(["n", "m"], "float32"), "$": plain},
            "create_cache": {**{size: int for size in sizes}, "$": plain},
        }
        module = self.export_tvm(spec=spec)[0]
        tvm.compile(module, target=Target("llvm")).export_library(path)


def _no_factors():
    return relax.prim_value(0) if hasattr(relax, "prim_value") else relax.PrimValue(0)


def has_layer_windows():
    """Whether the window of sliding layers can be chosen (since 0.27)."""
    return "layer_sliding_window_size" in inspect.signature(TIRPagedKVCache.__init__).parameters
