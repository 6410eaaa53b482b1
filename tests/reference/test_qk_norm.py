"""Attention with QK-norm is torch's own attention of torch's own RMSNorms."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from attn_kata.reference.qk_norm import QKNormAttention


def test_torch_agrees():
    """In float64, with gains that are not 1 and inputs at which eps counts."""
    torch.manual_seed(0)
    made = QKNormAttention(12, 3).double()
    for norm in (made.query_norm, made.key_norm):
        torch.nn.init.normal_(norm.weight)
    for size in (1.0, 0.001):
        x = size * torch.randn(2, 5, 12, dtype=torch.float64)
        query, key, value = (
            layer(x).unflatten(-1, (3, 4)).transpose(1, 2)
            for layer in (made.query_proj, made.key_proj, made.value_proj)
        )
        query = F.rms_norm(query, (4,), made.query_norm.weight, 1e-6)
        key = F.rms_norm(key, (4,), made.key_norm.weight, 1e-6)
        context = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        torchs = made.output_proj(context.transpose(1, 2).flatten(2))
        torch.testing.assert_close(made(x), torchs, rtol=0, atol=1e-12)
