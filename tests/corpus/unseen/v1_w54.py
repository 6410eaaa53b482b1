# attn-kata: v1
from __future__ import annotations

import torch
from torch import Tensor, nn


class SelfAttentionV1(nn.Module):
    """softmax(q k^T / sqrt(d)) v, one head."""

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.scale = hidden_dim**-0.5
        # one layer each for q, k, v
        self.proj = nn.ModuleList([nn.Linear(hidden_dim, hidden_dim, bias=False)] * 3)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (layer(x) for layer in self.proj)
        sim = torch.einsum("b i d, b j d -> b i j", q * self.scale, k)
        attn = sim.softmax(dim=-1)
        return torch.einsum("b i j, b j d -> b i d", attn, v)
