from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Tile:
    lo: int
    hi: int
    seen: int  # keys from here on are ahead of every query of the tile

    @staticmethod
    def cut(n_q: int, n_k: int, size: int, causal: bool) -> list[Tile]:
        shift = n_k - n_q
        ends = [(lo, min(lo + size, n_q)) for lo in range(0, n_q, size)]
        return [Tile(lo, hi, hi + shift if causal else n_k) for lo, hi in ends]


def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    n_q, n_k = query.shape[-2], key.shape[-2]
    scale = 1.0 / math.sqrt(query.shape[-1])
    dq = torch.empty_like(query)
    dk = torch.zeros_like(key)
    dv = torch.zeros_like(value)
    for tile in Tile.cut(n_q, n_k, 16, causal):
        rows = slice(tile.lo, tile.hi)
        keys = slice(0, tile.seen)
        q, do = query[..., rows, :], grad_output[..., rows, :]
        k, v = key[..., keys, :], value[..., keys, :]
        s = q @ k.mT * scale
        if causal:
            ahead = torch.ones_like(s, dtype=torch.bool).triu(tile.lo + n_k - n_q + 1)
            s = s.masked_fill(ahead, -math.inf)
        p = s.softmax(-1)
        dp = do @ v.mT
        ds = p * (dp - (p * dp).sum(-1, keepdim=True)) * scale
        dq[..., rows, :] = ds @ k
        dk[..., keys, :] += ds.mT @ q
        dv[..., keys, :] = p.mT @ do
    return dq, dk, dv
