import math
from typing import Any

import torch
from torch import Tensor, nn


class Rotary(nn.Module):
    def __init__(self, dim: int, base: float) -> None:
        super().__init__()
        inv_freq = 1.0 / (base ** (torch.arange(0, dim, 2).float() / dim))
        self.register_buffer("inv_freq", inv_freq, persistent=False)

    def forward(self, t: Tensor, start: int) -> Tensor:
        position = torch.arange(start, start + t.size(2), device=t.device).float()
        angle = position[:, None] * self.inv_freq.float().to(t.device)
        cos, sin = angle.cos().to(t.dtype), angle.sin().to(t.dtype)
        a, b = t.chunk(2, dim=-1)
        return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000) -> None:
        super().__init__()
        self.head_dim = hidden_dim // num_heads
        self.groups = num_heads // num_kv_heads
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.rotary = Rotary(self.head_dim, base)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        start = 0 if cache is None else cache[0].size(2)
        q, k, v = (p(x).unflatten(-1, (-1, self.head_dim)).transpose(1, 2)
                   for p in (self.q_proj, self.k_proj, self.v_proj))
        q, k = self.rotary(q, start), self.rotary(k, start)
        if cache is not None:
            k, v = torch.cat([cache[0], k], dim=2), torch.cat([cache[1], v], dim=2)
        keys, values = (t.repeat_interleave(self.groups, dim=1) for t in (k, v))
        scores = q @ keys.mT / math.sqrt(self.head_dim)
        hidden = torch.ones(scores.shape[-2:], dtype=torch.bool, device=x.device).triu(start + 1)
        weights = scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)
        return self.o_proj((weights @ values).transpose(1, 2).flatten(2)), (k, v)
