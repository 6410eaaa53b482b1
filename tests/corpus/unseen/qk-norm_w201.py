# attn-kata: qk-norm
from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass
class QKV:
    q: Tensor
    k: Tensor
    v: Tensor


class Projector(nn.Module):
    """x -> q, k, v in heads, (b, n_head, t, dk) 三份"""

    def __init__(self, hid: int, n_head: int) -> None:
        super().__init__()
        self.n_head = n_head
        self.dk = hid // n_head
        self.q_proj = nn.Linear(hid, hid)
        self.k_proj = nn.Linear(hid, hid)
        self.v_proj = nn.Linear(hid, hid)

    def _heads(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.n_head, self.dk)).movedim(2, 1)

    def forward(self, x: Tensor) -> QKV:
        q = self.q_proj(x) * self.dk**-0.5
        return QKV(self._heads(q), self._heads(self.k_proj(x)), self._heads(self.v_proj(x)))


class RmsNorm(nn.Module):
    def __init__(self, dk: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.gain = nn.Parameter(torch.ones(dk))

    def forward(self, u: Tensor) -> Tensor:
        mean_sq = u.square().mean(dim=-1, keepdim=True)
        return u * torch.rsqrt(mean_sq + self.eps) * self.gain


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.projector = Projector(hidden_dim, num_heads)
        self.query_norm = RmsNorm(self.projector.dk)
        self.key_norm = RmsNorm(self.projector.dk)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def _normed(self, p: QKV) -> QKV:
        return QKV(self.query_norm(p.q), self.key_norm(p.k), p.v)

    def _weights(self, p: QKV) -> Tensor:
        scores = torch.matmul(p.q, p.k.transpose(-2, -1))
        pos = torch.arange(scores.size(-1), device=scores.device)
        scores = scores.masked_fill(pos[None, :] > pos[:, None], float("-inf"))
        return torch.softmax(scores, dim=-1)

    def forward(self, x: Tensor) -> Tensor:
        p = self._normed(self.projector(x))
        ctx = torch.matmul(self._weights(p), p.v)
        return self.out_proj(ctx.movedim(1, 2).flatten(-2))
