from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.func import vmap


def one_head(q: Tensor, keep: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """q (b, t, d), keep (b, t, t), k and v (b, t, d)"""
    s = q @ k.mT * k.shape[-1] ** -0.5
    s = torch.where(keep, s, torch.finfo(s.dtype).min)
    return torch.softmax(s, -1) @ v


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        d = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, d)
        self.value = nn.Linear(hidden_dim, d)
        self.output = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        b, t, _ = x.shape
        q = self.query(x).unflatten(-1, (self.num_heads, -1))
        if attention_mask is None:
            attention_mask = torch.ones(1, 1, 1, 1, dtype=torch.bool, device=x.device)
        keep = (attention_mask != 0).expand(b, self.num_heads, t, t)
        heads = vmap(one_head, in_dims=(2, 1, None, None), out_dims=2)(q, keep, self.key(x), self.value(x))
        return self.output(heads.flatten(2))
