# attn-kata: cross
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class Lane(nn.Module):
    """一条 lane = 一个 head,从投影到输出都在自己手里。

    The output projection is cut by rows: [c_1 | ... | c_H] Wo = sum of c_i Wo_i.
    """

    def __init__(self, hid: int, dk: int, rate: float) -> None:
        super().__init__()
        self.wq = nn.Linear(hid, dk)
        self.wk = nn.Linear(hid, dk)
        self.wv = nn.Linear(hid, dk)
        self.wo = nn.Linear(dk, hid, bias=False)
        self.drop = nn.Dropout(rate)
        self.gain = 1.0 / math.sqrt(dk)

    def align(self, query: Tensor, key: Tensor, barrier: Tensor | None) -> Tensor:
        energy = torch.einsum("bqd,bkd->bqk", self.wq(query), self.wk(key)).mul(self.gain)
        if barrier is not None:
            energy = torch.where(barrier, energy, torch.finfo(energy.dtype).min)
        return torch.softmax(energy, dim=2)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, barrier: Tensor | None) -> Tensor:
        weights = self.drop(self.align(query, key, barrier))
        return self.wo(weights.bmm(self.wv(value)))


def _as_barrier(mask: Tensor | None) -> Tensor | None:
    """bool / int / float 统一成 bool,True 放行"""
    return None if mask is None else mask.ne(0)


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        dk, rest = divmod(hidden_dim, num_heads)
        if rest:
            raise ValueError("hidden_dim must be a multiple of num_heads")
        self.lanes = nn.ModuleList(Lane(hidden_dim, dk, dropout) for _ in range(num_heads))
        self.out_bias = nn.Parameter(torch.zeros(hidden_dim))

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        barrier = _as_barrier(mask)
        total = self.out_bias.expand_as(query)
        for lane in self.lanes:
            total = total + lane(query, key, value, barrier)
        return total
