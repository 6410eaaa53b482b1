from __future__ import annotations

import torch
import torch.nn as nn
from torch import Tensor


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.h = num_heads
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_kv = nn.Linear(hidden_dim, hidden_dim * 2, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache: dict | None = None):
        b, n, c = x.shape
        h = self.h
        q = self.to_q(x).reshape(b, n, h, c // h).permute(0, 2, 1, 3)
        if cache is None:
            k, v = self.to_kv(memory).chunk(2, dim=-1)
            cache = {
                "k": k.reshape(b, -1, h, c // h).permute(0, 2, 1, 3),
                "v": v.reshape(b, -1, h, c // h).permute(0, 2, 1, 3),
                "lengths": memory_lengths,
            }
        k, v = cache["k"], cache["v"]
        sim = torch.einsum("bhid,bhjd->bhij", q, k) * (c // h) ** -0.5
        pos = torch.arange(k.shape[2], device=x.device)
        pad = pos[None, :] >= memory_lengths[:, None]
        sim = sim.masked_fill(pad[:, None, None], -torch.finfo(sim.dtype).max)
        attn = sim.softmax(dim=-1)
        out = torch.einsum("bhij,bhjd->bhid", attn, v)
        return self.to_out(out.permute(0, 2, 1, 3).reshape(b, n, c)), cache
