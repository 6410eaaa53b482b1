# right: kvcache
from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.toushu = num_heads
        self.weidu = hidden_dim // num_heads
        self.shuchu = nn.Linear(hidden_dim, hidden_dim)
        self.zhi = nn.Parameter(torch.empty(hidden_dim, num_heads, self.weidu))
        self.chaxun_jian = nn.Linear(hidden_dim, 2 * hidden_dim)
        nn.init.normal_(self.zhi, std=hidden_dim**-0.5)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        B, T, C = x.shape
        qk = self.chaxun_jian(x).view(B, T, self.toushu, 2, self.weidu)
        q, k_new = qk[..., 0, :], qk[..., 1, :]
        v_new = torch.tensordot(x, self.zhi, dims=1)
        chunks = (cache or ()) + ((k_new, v_new),)
        k = torch.cat([c[0] for c in chunks], dim=1)
        v = torch.cat([c[1] for c in chunks], dim=1)
        S = k.shape[1]
        pos_q = torch.arange(S - T, S, device=x.device).view(T, 1)
        pos_k = torch.arange(S, device=x.device).view(1, S)
        s = torch.einsum("bqhd,bkhd->bhqk", q, k) / self.weidu**0.5
        s = torch.where(pos_k <= pos_q, s, float("-inf"))
        y = torch.einsum("bhqk,bkhd->bqhd", s.softmax(-1), v)
        return self.shuchu(y.reshape(B, T, C)), chunks
