# attn-kata: v3
from __future__ import annotations

import math
from typing import Optional

import torch
from torch import nn, Tensor


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.scale = 1 / math.sqrt(hidden_dim)
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)
        # 布尔掩码, 第一次用到时再生成
        self.register_buffer("_blocked", None, persistent=False)

    def _get_blocked(self, attention_mask: Tensor) -> Tensor:
        """bool / int / float 掩码统一转成 bool, True = 屏蔽"""
        if self._blocked is None or self._blocked.shape != attention_mask.shape:
            self._blocked = attention_mask.to(self.wq.weight.device) == 0
        return self._blocked

    def forward(self, x: Tensor, attention_mask: Optional[Tensor] = None) -> Tensor:
        q, k, v = self.wq(x), self.wk(x), self.wv(x)
        scores = (q @ k.transpose(1, 2)) * self.scale           # (B, T, T)
        if attention_mask is not None:
            neg = torch.finfo(scores.dtype).min
            scores = scores.masked_fill(self._get_blocked(attention_mask), neg)
        weights = self.dropout(scores.softmax(dim=-1))
        return self.wo(weights @ v)
