"""Llama's block is torch's own parts put together: its RMSNorm, its attention, its SiLU."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from attn_kata.reference.llama_block import LlamaBlock
from torch import Tensor


def rotated(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn complex numbers whose parts are the halves of a head."""
    turned = torch.complex(*x.chunk(2, dim=-1)) * torch.complex(cos, sin)
    return torch.cat([turned.real, turned.imag], dim=-1)


def test_torch_agrees():
    """In float64, with weights of the norms that are not 1 and inputs at which eps counts."""
    torch.manual_seed(0)
    made = LlamaBlock(24, 6, 2, 10).double()
    for norm in (made.attention_norm, made.mlp_norm):
        torch.nn.init.normal_(norm.weight)
    angles = torch.arange(5.0, dtype=torch.float64)[:, None] * torch.tensor([1.0, 0.01])
    cos, sin = angles.cos(), angles.sin()
    for size in (1.0, 0.01):
        x = size * torch.randn(2, 5, 24, dtype=torch.float64)
        normed = F.rms_norm(x, (24,), made.attention_norm.weight, 1e-5)
        query, key, value = (
            layer(normed).unflatten(-1, (-1, 4)).transpose(1, 2)
            for layer in (made.query_proj, made.key_proj, made.value_proj)
        )
        query, key = rotated(query, cos, sin), rotated(key, cos, sin)
        context = F.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True)
        stream = x + made.output_proj(context.transpose(1, 2).flatten(2))
        normed = F.rms_norm(stream, (24,), made.mlp_norm.weight, 1e-5)
        gated = F.silu(made.gate_proj(normed)) * made.up_proj(normed)
        torchs = stream + made.down_proj(gated)
        torch.testing.assert_close(made(x, cos, sin), torchs, rtol=0, atol=1e-12)
