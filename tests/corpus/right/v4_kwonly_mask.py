# right: v4
from __future__ import annotations

import torch
from torch import nn, Tensor
from einops import einsum, rearrange


class SelfAttentionV4(nn.Module):
    def __init__(self, *, dim: int, dropout: float = 0.1):
        super().__init__()
        self.scale = dim ** -0.5
        self.to_qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.to_out = nn.Linear(dim, dim, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, *, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = rearrange(self.to_qkv(x), "b t (three d) -> three b t d", three=3)
        sim = einsum(q, k, "b i d, b j d -> b i j") * self.scale
        if attention_mask is not None:
            sim = sim.masked_fill(~attention_mask.bool(), -torch.finfo(sim.dtype).max)
        attn = self.dropout(sim.softmax(dim=-1))
        return self.to_out(einsum(attn, v, "b i j, b j d -> b i d"))
