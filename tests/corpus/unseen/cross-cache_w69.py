from __future__ import annotations

import torch
from torch import Tensor, nn

NEG_INF = float("-inf")


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.E, self.H, self.D = hidden_dim, num_heads, hidden_dim // num_heads
        self.w = nn.ParameterDict(
            {n: nn.Parameter(torch.empty(hidden_dim, hidden_dim)) for n in ("q", "k", "v", "o")}
        )
        for p in self.w.values():
            nn.init.xavier_uniform_(p)

    def _fold(self, t: Tensor) -> Tensor:
        B, N, E = t.shape
        assert E == self.E
        return t.view(B, N, self.H, self.D).transpose(1, 2).reshape(B * self.H, N, self.D)

    def forward(self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache=None):
        B, N, E = x.shape
        assert N >= 1 and E == self.E
        q = self._fold(x @ self.w["q"])                       # [B*H, N, D]

        pad = None
        if cache is None:
            M = memory.shape[1]
            assert memory.shape == (B, M, E) and memory_lengths.shape == (B,)
            k = self._fold(memory @ self.w["k"])              # [B*H, M, D]
            v = self._fold(memory @ self.w["v"])
            slot = torch.arange(M, device=x.device).expand(B, M)
            pad = slot.ge(memory_lengths.to(x.device)[:, None])
            pad = pad.repeat_interleave(self.H, 0)[:, None]   # [B*H, 1, M]
            cache = (k, v)
        else:
            k, v = cache

        s = torch.bmm(q, k.mT) * self.D**-0.5
        if pad is not None:
            s = s.masked_fill(pad, NEG_INF)
        p = s.softmax(-1)
        y = torch.bmm(p, v).view(B, self.H, N, self.D).transpose(1, 2).reshape(B, N, E)
        return y @ self.w["o"], cache
