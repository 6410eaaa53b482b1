# right: gqa
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        assert num_heads % num_kv_heads == 0
        self.g, self.r = num_kv_heads, num_heads // num_kv_heads
        self.d = hidden_dim // num_heads
        std = hidden_dim**-0.5
        self.Wq = nn.Parameter(torch.randn(self.g, self.r, hidden_dim, self.d) * std)
        self.Wkv = nn.Parameter(torch.randn(2, self.g, hidden_dim, self.d) * std)
        self.Wo = nn.Parameter(torch.randn(num_heads, self.d, hidden_dim) * std)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q = torch.einsum("btc,grcd->bgrtd", x, self.Wq)
        k, v = torch.einsum("btc,sgcd->sbgtd", x, self.Wkv)
        att = torch.einsum("bgrtd,bgsd->bgrts", q, k) / math.sqrt(self.d)
        att = att.flatten(1, 2)
        if attention_mask is not None:
            att = torch.where(attention_mask.to(torch.bool), att, float("-inf"))
        p = att.softmax(-1).unflatten(1, (self.g, self.r))
        y = torch.einsum("bgrts,bgsd->bgrtd", p, v).flatten(1, 2)
        return torch.einsum("bhtd,hdc->btc", y, self.Wo)
