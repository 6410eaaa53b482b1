from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.sinks = nn.Parameter(torch.zeros(num_heads))

    def forward(self, x: Tensor) -> Tensor:
        n_batch, n_tokens, _ = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q = q.view(n_batch, n_tokens, self.num_heads, self.head_dim)
        k = k.view(n_batch, n_tokens, self.num_heads, self.head_dim)
        v = v.view(n_batch, n_tokens, self.num_heads, self.head_dim)
        QK = torch.einsum("bqhd,bkhd->bhqk", q, k)
        mask = torch.triu(QK.new_full((n_tokens, n_tokens), -float("inf")), diagonal=1)
        QK = QK + mask
        S = self.sinks.reshape(1, -1, 1, 1).expand(n_batch, -1, n_tokens, 1)
        QK = torch.cat([QK, S], dim=-1)
        W = F.softmax(QK / math.sqrt(self.head_dim), dim=-1)
        W = W[..., :-1]
        attn = torch.einsum("bhqk,bkhd->bqhd", W, v)
        return self.out(attn.reshape(n_batch, n_tokens, -1))
