from __future__ import annotations

import math

import torch
from torch import Tensor


class OnlineSoftmax:
    """Running max, denominator and numerator of one softmax-weighted sum."""

    def __init__(self, like: Tensor) -> None:
        rows = like.shape[:-1] + (1,)
        self.m = like.new_full(rows, -math.inf)
        self.den = like.new_zeros(rows)
        self.num = torch.zeros_like(like)

    def update(self, s: Tensor, v: Tensor) -> None:
        m_new = torch.maximum(self.m, s.amax(-1, keepdim=True))
        p = torch.exp(s - m_new)
        self.den = self.den * torch.exp(self.m - m_new) + p.sum(-1, keepdim=True)
        self.num = self.num + p @ v
        self.m = m_new

    def result(self) -> Tensor:
        return self.num / self.den


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    length = query.shape[-2]
    q = query / math.sqrt(query.shape[-1])
    acc = OnlineSoftmax(q)
    pos = torch.arange(length, device=q.device)
    for k_tile, v_tile, p_tile in zip(
        key.split(block_size, -2), value.split(block_size, -2), pos.split(block_size)
    ):
        s = q @ k_tile.mT
        if causal:
            s = s.masked_fill(p_tile[None, :] > pos[:, None], -math.inf)
        acc.update(s, v_tile)
    return acc.result().to(query.dtype)
