from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class Running:
    top: Tensor
    total: Tensor
    out: Tensor

    def step(self, scores: Tensor, values: Tensor) -> "Running":
        """scores (b, g, r, place), values (b, place, g, d)."""
        top = torch.maximum(self.top, scores.amax(dim=-1))
        parts = torch.exp(scores - top.unsqueeze(-1))
        fade = torch.exp(self.top - top)
        return Running(
            top,
            fade * self.total + parts.sum(dim=-1),
            fade.unsqueeze(-1) * self.out + torch.einsum("bgrp,bpgd->bgrd", parts, values),
        )


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    """As a kernel does it: from block to block with a running softmax, and nothing gathered at once."""
    batch, heads, dim = query.shape
    block_size, kv_heads = key_pool.shape[1:3]
    wide = torch.promote_types(query.dtype, torch.float32)
    q = query.to(wide).reshape(batch, kv_heads, heads // kv_heads, dim) * dim**-0.5

    state = Running(q.new_full(q.shape[:3], -torch.inf), q.new_zeros(q.shape[:3]), torch.zeros_like(q))
    places = torch.arange(block_size, device=query.device)
    blocks = -(-int(lengths.max()) // block_size)
    for number in range(blocks):
        at = block_table[:, number].long()
        mine = number * block_size + places < lengths.to(query.device)[:, None]  # (b, place)
        keys, values = key_pool[at].to(wide), value_pool[at].to(wide)
        values = values.masked_fill(~mine[:, :, None, None], 0)
        scores = torch.einsum("bgrd,bpgd->bgrp", q, keys)
        # every sequence has a token in block 0, so top is finite from there on
        state = state.step(scores.masked_fill(~mine[:, None, None], -torch.inf), values)
    return (state.out / state.total.unsqueeze(-1)).reshape(query.shape).to(query.dtype)
