# attn-kata: v2
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SelfAttentionV2(nn.Module):
    """单头自注意力,q/k/v 一次矩阵乘出来。

    x       (batch, length, hidden_dim)
    returns (batch, length, hidden_dim)
    """

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.hid = hidden_dim
        self.norm_factor = math.isqrt(hidden_dim)
        self.qkv_proj = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def _cut(self, fused: Tensor) -> tuple[Tensor, ...]:
        bounds = (0, self.hid, 2 * self.hid, 3 * self.hid)
        return tuple(fused[..., lo:hi] for lo, hi in zip(bounds[:-1], bounds[1:]))

    def _scores(self, query: Tensor, key: Tensor) -> Tensor:
        return torch.bmm(query, key.transpose(1, 2)).div(self.norm_factor)

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = self._cut(self.qkv_proj(x))
        weights = self._scores(query, key).softmax(dim=2)
        return self.out_proj(torch.bmm(weights, value))
