"""Rotation as multiplication by e^{i angle}: (a, b) -> complex a + ib, one multiply, back."""
import math
from collections import namedtuple

import torch
from torch import nn

Cache = namedtuple("Cache", ["key", "value", "index"])


def rope(x, positions, base):
    """x [B, T, ..., D], positions [T]"""
    up = torch.promote_types(x.dtype, torch.float32)
    a, b = x.to(up).chunk(2, dim=-1)
    d = x.shape[-1]
    inv = torch.exp(torch.arange(0, d, 2, device=x.device, dtype=up) * (-math.log(base) / d))
    theta = positions.to(up)[:, None] * inv
    phase = torch.polar(torch.ones_like(theta), theta)
    phase = phase.view(1, len(positions), *[1] * (x.dim() - 3), -1)
    z = torch.complex(a, b) * phase
    return torch.cat([z.real, z.imag], dim=-1).to(x.dtype)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        d = hidden_dim // num_heads
        g = num_heads // num_kv_heads
        self.base = base

        def kernel(*shape):
            return nn.Parameter(torch.randn(shape) / math.sqrt(hidden_dim))

        self.wq = kernel(hidden_dim, num_kv_heads, g, d)
        self.wk = kernel(hidden_dim, num_kv_heads, d)
        self.wv = kernel(hidden_dim, num_kv_heads, d)
        self.wo = kernel(num_kv_heads, g, d, hidden_dim)

    def forward(self, x, cache=None):
        start = 0 if cache is None else cache.index
        pos = torch.arange(start, start + x.shape[1], device=x.device)
        q = rope(torch.einsum("btc,ckgd->btkgd", x, self.wq), pos, self.base)
        k = rope(torch.einsum("btc,ckd->btkd", x, self.wk), pos, self.base)
        v = torch.einsum("btc,ckd->btkd", x, self.wv)
        if cache is not None:
            k = torch.cat([cache.key, k], dim=1)
            v = torch.cat([cache.value, v], dim=1)
        logits = torch.einsum("btkgd,bskd->bkgts", q, k) / math.sqrt(q.shape[-1])
        visible = torch.arange(k.shape[1], device=x.device) <= pos[:, None]
        logits = torch.where(visible, logits, torch.finfo(logits.dtype).min)
        mixed = torch.einsum("bkgts,bskd->btkgd", logits.softmax(-1), v)
        y = torch.einsum("btkgd,kgdc->btc", mixed, self.wo)
        return y, Cache(k, v, start + x.shape[1])
