# attn-kata: kvcache
from __future__ import annotations

import torch
from einops import einsum, rearrange
from torch import Tensor, nn


def extend(old: Tensor | None, new: Tensor) -> Tensor:
    """b h n d, joined along n"""
    parts = [new, old] if old is not None else [new]
    return torch.cat(parts, dim=-2)


def causal(i: int, j: int, device) -> Tensor:
    """True where query i (of the last i positions of j) must not look"""
    return torch.ones((i, j), device=device, dtype=torch.bool).triu(j - i + 1)


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.h = num_heads
        self.scale = (hidden_dim // num_heads) ** -0.5
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(hidden_dim, hidden_dim, bias=False) for _ in range(4))

    def forward(self, x: Tensor, cache: tuple[Tensor, Tensor] | None = None):
        q, k, v = (rearrange(w(x), "b n (h d) -> b h n d", h=self.h) for w in (self.wq, self.wk, self.wv))

        past_k, past_v = cache or (None, None)
        k, v = extend(past_k, k), extend(past_v, v)

        sim = einsum(q, k, "b h i d, b h j d -> b h i j") * self.scale
        sim = sim.masked_fill(causal(q.shape[-2], k.shape[-2], x.device), -torch.finfo(sim.dtype).max)
        attn = sim.softmax(dim=-1)

        out = einsum(attn, v, "b h i j, b h j d -> b h i d")
        return self.wo(rearrange(out, "b h n d -> b n (h d)")), (k, v)
