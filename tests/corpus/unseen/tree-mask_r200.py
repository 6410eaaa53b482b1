# attn-kata: tree-mask
from __future__ import annotations

import math

import torch
from torch import Tensor


class AncestorTable:
    """倍增 (binary lifting),和求 LCA 的那张表一样。

    After k rounds seen[i] holds token i and its next 2^k - 1 ancestors, jump[i] the one after
    those. Row n is a sentinel above all roots: it sees nothing and jumps to itself.
    """

    def __init__(self, back: Tensor) -> None:
        n = back.numel()
        self.n = n
        idx = torch.arange(n, device=back.device)
        parent = idx - back.to(torch.int64)
        parent = torch.where(parent < 0, n, parent)
        self.jump = torch.cat([parent, parent.new_full((1,), n)])
        self.seen = torch.eye(n + 1, n, dtype=torch.bool, device=back.device)

    def _settled(self) -> bool:
        """所有人都跳到哨兵了就可以停"""
        return bool((self.jump == self.n).all())

    def _double(self) -> None:
        self.seen = self.seen | self.seen[self.jump]
        self.jump = self.jump[self.jump]

    def solve(self) -> Tensor:
        while not self._settled():
            self._double()
        return self.seen[: self.n]


def tree_mask(back: Tensor) -> Tensor:
    return AncestorTable(back).solve()


class _Part:
    """Scores and values of one group of keys: the prefix, or the drafted tokens."""

    def __init__(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> None:
        self.scores = q @ k.transpose(-2, -1)
        if mask is not None:
            self.scores = self.scores.masked_fill(~mask, -math.inf)
        # 一列 1,顺带把指数和也算出来
        self.value = torch.cat([v, torch.ones_like(v[..., :1])], dim=-1)

    def peak(self) -> Tensor:
        return self.scores.amax(dim=-1, keepdim=True)

    def weigh(self, peak: Tensor) -> Tensor:
        return (self.scores - peak).exp() @ self.value


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    work = torch.promote_types(query.dtype, torch.float32)
    drafted, dk = query.shape[-2:]
    prefix = key.size(2) - drafted
    sizes = (prefix, drafted)

    q = query.to(work) / math.sqrt(dk)
    k_past, k_tree = key.to(work).split(sizes, dim=2)
    v_past, v_tree = value.to(work).split(sizes, dim=2)

    parts = [_Part(q, k_tree, v_tree, tree_mask(back))]
    if prefix > 0:
        parts.append(_Part(q, k_past, v_past))

    peak = torch.cat([p.peak() for p in parts], dim=-1).amax(dim=-1, keepdim=True)
    packed = sum(p.weigh(peak) for p in parts)
    return (packed[..., :-1] / packed[..., -1:]).to(query.dtype)
