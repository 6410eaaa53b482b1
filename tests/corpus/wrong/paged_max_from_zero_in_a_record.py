# wrong: paged max-from-zero line 22
from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class OnlineState:
    """m, l and acc of the online softmax, for all heads of one sequence."""

    m: Tensor    # (heads,)
    l: Tensor    # (heads,)
    acc: Tensor  # (heads, head_dim)

    @classmethod
    def fresh(cls, heads: int, head_dim: int, like: Tensor) -> "OnlineState":
        return cls(
            m=like.new_zeros(heads),
            l=like.new_zeros(heads),
            acc=like.new_zeros(heads, head_dim),
        )

    def push(self, s: Tensor, v: Tensor) -> None:
        """s: (heads, tokens), v: (heads, tokens, head_dim)"""
        m = torch.maximum(self.m, s.amax(-1))
        corr = torch.exp(self.m - m)
        p = torch.exp(s - m[:, None])
        self.l = self.l * corr + p.sum(-1)
        self.acc = self.acc * corr[:, None] + torch.einsum("ht,htd->hd", p, v)
        self.m = m

    def result(self) -> Tensor:
        return self.acc / self.l[:, None]


def paged_attention(query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor) -> Tensor:
    work = torch.promote_types(query.dtype, torch.float32)
    heads, head_dim = query.shape[1:]
    block_size, kv_heads = key_pool.shape[1:3]
    kv_of = torch.arange(heads, device=query.device) // (heads // kv_heads)

    out = torch.zeros_like(query)
    for b, n in enumerate(lengths.tolist()):
        q = query[b].to(work) / math.sqrt(head_dim)
        state = OnlineState.fresh(heads, head_dim, q)
        for i, start in enumerate(range(0, n, block_size)):
            here = min(block_size, n - start)
            blk = block_table[b, i]
            k = key_pool[blk, :here][:, kv_of].transpose(0, 1).to(work)
            v = value_pool[blk, :here][:, kv_of].transpose(0, 1).to(work)
            state.push(torch.einsum("hd,htd->ht", q, k), v)
        out[b] = state.result().to(query.dtype)
    return out
