# attn-kata: causal
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class CausalSelfAttention(nn.Module):
    """Row by row; position t reads a growing window of keys. No triangle is kept."""

    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        self.heads = num_heads
        self.dim = hidden_dim // num_heads
        self.max_len = block_size
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_kv = nn.Linear(hidden_dim, 2 * hidden_dim, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def _window(self, t: int) -> slice:
        return slice(0, max(t, 1))

    def forward(self, x: Tensor) -> Tensor:
        n, length, _ = x.shape
        if length > self.max_len:
            raise ValueError(f"sequence of {length}, at most {self.max_len}")
        shape = (n, length, self.heads, self.dim)
        q = self.to_q(x).view(shape)
        k, v = (part.view(shape) for part in self.to_kv(x).tensor_split(2, dim=-1))
        out = []
        for t in range(length):
            win = self._window(t)
            s = (q[:, t, None] * k[:, win]).sum(-1) / math.sqrt(self.dim)  # (n, window, heads)
            w = torch.softmax(s, dim=1).unsqueeze(-1)
            out.append((w * v[:, win]).sum(dim=1))
        return self.to_out(torch.stack(out, dim=1).reshape(n, length, -1))
