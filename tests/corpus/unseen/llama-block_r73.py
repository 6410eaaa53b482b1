from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class LlamaBlock(nn.Module):
    """One matrix in front (q, k, v), one for gate and up; groups are an axis, nothing is repeated."""

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        self.kv, self.group = num_kv_heads, num_heads // num_kv_heads
        self.dim = hidden_dim // num_heads
        self.wqkv = nn.Linear(hidden_dim, (num_heads + 2 * num_kv_heads) * self.dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.w13 = nn.Linear(hidden_dim, 2 * mlp_dim, bias=False)
        self.w2 = nn.Linear(mlp_dim, hidden_dim, bias=False)
        self.scale = nn.Parameter(torch.ones(2, hidden_dim))

    def _norm(self, x: Tensor, which: int) -> Tensor:
        return F.rms_norm(x, x.shape[-1:], self.scale[which], 1e-5)

    @staticmethod
    def _turn(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        pairs = torch.stack(x.chunk(2, -1), -1)                       # (..., half, 2)
        matrix = torch.stack((cos, -sin, sin, cos), -1).unflatten(-1, (2, 2))
        turned = torch.einsum("tpij,btnpj->btnip", matrix, pairs)
        return turned.flatten(-2)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        b, t, _ = x.shape
        heads = self.wqkv(self._norm(x, 0)).view(b, t, -1, self.dim)
        n = self.kv * self.group
        q, k, v = heads.split((n, self.kv, self.kv), dim=2)
        q, k = self._turn(q, cos, sin), self._turn(k, cos, sin)
        q = q.unflatten(2, (self.kv, self.group))
        s = torch.einsum("bqkgd,bskd->bkgqs", q, k) / self.dim**0.5
        s = s.masked_fill(torch.ones(t, t, dtype=torch.bool, device=x.device).triu(1), float("-inf"))
        a = torch.einsum("bkgqs,bskd->bqkgd", s.softmax(-1), v)
        h = x + self.wo(a.flatten(2))
        gate, up = self.w13(self._norm(h, 1)).chunk(2, -1)
        return h + self.w2(F.silu(gate) * up)
