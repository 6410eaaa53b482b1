# attn-kata: cross
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class ProjectionCache:
    """投影 + 切 head。一次 forward 用一个,用完就丢。"""

    def __init__(self, n_head: int) -> None:
        self._n_head = n_head
        self._memo: dict[int, Tensor] = {}

    def _split(self, t: Tensor) -> Tensor:
        bsz, tlen, hid = t.shape
        return t.view(bsz, tlen, self._n_head, hid // self._n_head).transpose(1, 2)

    def get(self, source: Tensor, proj: nn.Linear) -> Tensor:
        handle = id(source)
        if handle not in self._memo:
            self._memo[handle] = self._split(proj(source))
        return self._memo[handle]


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.n_head = num_heads
        self.scale = 1.0 / math.sqrt(hidden_dim // num_heads)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def _block(self, scores: Tensor, mask: Tensor | None) -> Tensor:
        if mask is None:
            return scores
        closed = (mask == 0).unsqueeze(1)  # 所有 head 共用
        return scores.masked_fill(closed, torch.finfo(scores.dtype).min)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        cache = ProjectionCache(self.n_head)
        q = cache.get(query, self.q_proj)
        k = cache.get(key, self.k_proj)
        v = cache.get(value, self.v_proj)

        scores = self._block(q @ k.transpose(-2, -1) * self.scale, mask)
        weights = self.dropout(scores.softmax(dim=-1))
        ctx = (weights @ v).transpose(1, 2)
        return self.o_proj(ctx.reshape(query.shape))
