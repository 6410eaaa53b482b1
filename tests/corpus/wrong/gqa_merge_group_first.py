# wrong: gqa heads-merge-wrong-axes line 36
# fair: heads-merge-wrong-axes 35, 36
from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        self.H, self.K = num_heads, num_kv_heads
        self.G = num_heads // num_kv_heads
        self.D = hidden_dim // num_heads
        self.w_qkv = nn.Parameter(torch.empty((self.H + 2 * self.K) * self.D, hidden_dim))
        self.w_out = nn.Parameter(torch.empty(hidden_dim, self.H * self.D))
        nn.init.xavier_uniform_(self.w_qkv)
        nn.init.xavier_uniform_(self.w_out)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        B, T, _ = x.shape
        H, K, G, D = self.H, self.K, self.G, self.D
        heads = F.linear(x, self.w_qkv).view(B, T, H + 2 * K, D)
        q, k, v = heads.split((H, K, K), dim=2)

        q = q.reshape(B, T, K, G, D)
        s = torch.einsum("btkgd,bskd->bkgts", q, k) * D**-0.5
        if attention_mask is not None:
            hidden = (attention_mask == 0).expand(B, H, T, T).reshape(B, K, G, T, T)
            s = s.masked_fill(hidden, -torch.inf)
        p = torch.softmax(s, dim=-1)
        o = torch.einsum("bkgts,bskd->btgkd", p, v)
        return F.linear(o.reshape(B, T, H * D), self.w_out)
