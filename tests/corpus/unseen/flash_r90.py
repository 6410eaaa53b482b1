from __future__ import annotations

import math

import torch
from torch import Tensor


class _Online:
    """What a block of queries keeps between tiles of keys."""

    def __init__(self, q: Tensor) -> None:
        self.q = q
        self.peak = q.new_full(q.shape[:-1], -math.inf)
        self.mass = q.new_zeros(q.shape[:-1])
        self.mix = torch.zeros_like(q)

    def absorb(self, k: Tensor, v: Tensor, ahead: Tensor | None) -> None:
        s = self.q @ k.mT
        if ahead is not None:
            s.masked_fill_(ahead, -math.inf)
        peak = torch.maximum(self.peak, s.amax(-1))
        p = s.sub_(peak[..., None]).exp_()
        shrink = (self.peak - peak).exp()
        self.mass.mul_(shrink).add_(p.sum(-1))
        self.mix.mul_(shrink[..., None]).add_(p @ v)
        self.peak = peak

    def result(self) -> Tensor:
        return self.mix / self.mass[..., None]


@torch.no_grad()
def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    length, width = query.shape[-2:]
    wide = torch.promote_types(query.dtype, torch.float32)
    place = torch.arange(length, device=query.device)
    out = torch.empty_like(query)
    for i in range(0, length, block_size):
        rows = slice(i, min(i + block_size, length))
        state = _Online(query[..., rows, :].to(wide) / math.sqrt(width))
        # ascending: the tile with key 0 comes first, so no peak stays at -inf
        for j in range(0, rows.stop if causal else length, block_size):
            cols = slice(j, min(j + block_size, length))
            ahead = place[cols] > place[rows, None] if causal and cols.stop > i + 1 else None
            state.absorb(key[..., cols, :].to(wide), value[..., cols, :].to(wide), ahead)
        out[..., rows, :] = state.result()
    return out
