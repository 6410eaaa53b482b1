from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class CrossAttention(nn.Module):
    """解码器的 query 去看编码器的 key / value。"""

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.h = num_heads
        self.d = hidden_dim // num_heads
        self.fc_q = nn.Linear(hidden_dim, hidden_dim)
        self.fc_k = nn.Linear(hidden_dim, hidden_dim)
        self.fc_v = nn.Linear(hidden_dim, hidden_dim)
        self.fc_o = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def to_heads(self, t: Tensor) -> Tensor:
        b, n, _ = t.shape
        return t.reshape(b, n, self.h, self.d).permute(0, 2, 1, 3)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        q = self.to_heads(self.fc_q(query))
        k = self.to_heads(self.fc_k(key))
        v = self.to_heads(self.fc_v(value))

        # [b, h, len_q, len_k]
        att = torch.matmul(q, k.permute(0, 1, 3, 2)) / math.sqrt(self.d)
        if mask is not None:
            mask = mask.unsqueeze(0)  # 所有 head 共用同一个 mask
            att = att.masked_fill(mask == 0, float("-inf"))
        att = self.drop(torch.softmax(att, dim=-1))

        out = torch.matmul(att, v).permute(0, 2, 1, 3)
        out = out.reshape(query.shape[0], query.shape[1], self.h * self.d)
        return self.fc_o(out)
