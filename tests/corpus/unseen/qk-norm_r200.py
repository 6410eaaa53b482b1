# attn-kata: qk-norm
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class UnitGain(nn.Module):
    """RMSNorm, gain stored less 1 (Gemma 的写法,初始为 0)。

    sqrt(ms + eps) is the hypotenuse of rms and sqrt(eps).
    """

    EPS = 1e-6

    def __init__(self, dk: int) -> None:
        super().__init__()
        self.delta = nn.Parameter(torch.zeros(dk))
        self._root_dk = math.sqrt(dk)
        self._root_eps = math.sqrt(self.EPS)

    def _length(self, u: Tensor) -> Tensor:
        rms = torch.linalg.vector_norm(u, dim=-1, keepdim=True) / self._root_dk
        return torch.hypot(rms, torch.full_like(rms, self._root_eps))

    def forward(self, u: Tensor) -> Tensor:
        wide = u.to(torch.promote_types(u.dtype, torch.float32))
        return (wide / self._length(wide) * (1 + self.delta)).to(u.dtype)


class HeadProjection(nn.Module):
    """每个 head 一个 hid -> 3*dk 的小投影"""

    def __init__(self, hid: int, dk: int) -> None:
        super().__init__()
        self.qkv_proj = nn.Linear(hid, 3 * dk)

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        return self.qkv_proj(x).chunk(3, dim=-1)


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        dk = hidden_dim // num_heads
        self.heads = nn.ModuleList(HeadProjection(hidden_dim, dk) for _ in range(num_heads))
        self.q_gain = UnitGain(dk)  # 所有 head 共享
        self.k_gain = UnitGain(dk)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.dk = dk

    def _bias(self, tlen: int, like: Tensor) -> Tensor:
        return like.new_full((tlen, tlen), -math.inf).triu(1)

    def _attend(self, q: Tensor, k: Tensor, v: Tensor, bias: Tensor) -> Tensor:
        scores = torch.baddbmm(
            bias.expand(q.size(0), -1, -1), q, k.transpose(1, 2), alpha=self.dk**-0.5
        )
        return scores.softmax(dim=-1).bmm(v)

    def forward(self, x: Tensor) -> Tensor:
        bias = self._bias(x.size(1), x)
        merged: list[Tensor] = []
        for head in self.heads:
            q, k, v = head(x)
            merged.append(self._attend(self.q_gain(q), self.k_gain(k), v, bias))
        return self.o_proj(torch.cat(merged, dim=-1))
