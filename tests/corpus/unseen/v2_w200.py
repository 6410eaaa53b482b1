# attn-kata: v2
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class RowMatrix:
    """(batch, length, hid) 摊平成二维行矩阵,算完再还原形状。"""

    def __init__(self, x: Tensor) -> None:
        self._shape = x.shape
        self.rows = x.reshape(-1, x.size(-1))

    def restore(self, rows: Tensor) -> Tensor:
        return rows.view(self._shape)


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.hid = hidden_dim
        self.inv_sqrt = 1.0 / math.sqrt(hidden_dim)
        self.qkv_proj = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def _project(self, rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        # one big GEMM for q, k, v
        query, key, value = self.qkv_proj(rows).split(self.hid, dim=-1)
        return query, key, value

    def _weights(self, query: Tensor, key: Tensor) -> Tensor:
        return torch.softmax(query.mm(key.t()) * self.inv_sqrt, dim=-1)

    def forward(self, x: Tensor) -> Tensor:
        mat = RowMatrix(x)
        query, key, value = self._project(mat.rows)
        ctx = self._weights(query, key).mm(value)
        return mat.restore(self.out_proj(ctx))
