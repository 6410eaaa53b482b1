from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class _Core(nn.Module):
    def __init__(self, width: int, heads: int, p: float) -> None:
        super().__init__()
        self.heads, self.head_dim = heads, width // heads
        self.q_proj = nn.Linear(width, width)
        self.k_proj = nn.Linear(width, width)
        self.v_proj = nn.Linear(width, width)
        self.o_proj = nn.Linear(width, width)
        self.drop = nn.Dropout(p)

    def split(self, t: Tensor) -> Tensor:
        return t.view(t.size(0), -1, self.heads, self.head_dim).transpose(1, 2)

    def forward(self, query, key, value, mask=None) -> Tensor:
        q = self.split(self.q_proj(query))
        k = self.split(self.k_proj(key))
        v = self.split(self.v_proj(value))
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.head_dim)
        if mask is not None:
            scores = scores.masked_fill(mask.unsqueeze(1) == 0, torch.finfo(scores.dtype).min)
        out = self.drop(scores.softmax(-1)) @ v
        return self.o_proj(out.transpose(1, 2).reshape(query.shape))


class _Delegating(nn.Module):
    def __init__(self, *args, **kwargs) -> None:
        super().__init__()
        self.core = _Core(*args, **kwargs)

    def __getattr__(self, name: str):
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name == "core":
                raise
            return getattr(self.core, name)


class SelfAttention(_Delegating):
    def forward(self, x, mask=None):
        return self.core(x, x, x, mask)


class CrossAttention(_Delegating):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__(hidden_dim, num_heads, p=dropout)

    def forward(self, *inputs, **named):
        return self.core(*inputs, **named)
