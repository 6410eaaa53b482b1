# right: gqa-rope
from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


def turn(h: Tensor, turns: Tensor) -> Tensor:
    a, b = h.to(turns.real.dtype).chunk(2, dim=-1)
    z = torch.complex(a.contiguous(), b.contiguous()) * turns
    return torch.cat([z.real, z.imag], dim=-1).to(h.dtype)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000
    ) -> None:
        super().__init__()
        d = hidden_dim // num_heads
        self.d, self.base, self.share = d, base, num_heads // num_kv_heads
        self.last = nn.Linear(hidden_dim, hidden_dim)
        self.pairs = nn.ModuleList([nn.Linear(hidden_dim, 2 * d, bias=False) for _ in range(num_kv_heads)])
        self.heads = nn.ModuleList([nn.Linear(hidden_dim, d) for _ in range(num_heads)])

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        t = x.shape[1]
        done = 0 if cache is None else cache[0][0].shape[1]
        wide = torch.float64 if x.dtype == torch.float64 else torch.float32
        freq = torch.tensor([self.base ** (-2 * i / self.d) for i in range(self.d // 2)],
                            dtype=wide, device=x.device)
        ang = torch.arange(done, done + t, device=x.device, dtype=wide)[:, None] * freq
        turns = torch.polar(torch.ones_like(ang), ang)
        new = []
        for g, lin in enumerate(self.pairs):
            v, k = lin(x).chunk(2, -1)
            k = turn(k, turns)
            if cache is not None:
                k, v = torch.cat([cache[g][0], k], 1), torch.cat([cache[g][1], v], 1)
            new.append((k, v))
        hidden = torch.ones(t, done + t, device=x.device, dtype=torch.bool).triu(done + 1)
        outs = []
        for h, lin in enumerate(self.heads):
            k, v = new[h // self.share]
            s = turn(lin(x), turns) @ k.transpose(1, 2) / math.sqrt(self.d)
            outs.append(s.masked_fill(hidden, -torch.inf).softmax(-1) @ v)
        return self.last(torch.cat(outs, -1)), new
