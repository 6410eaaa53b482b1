# attn-kata: paged
from __future__ import annotations

import torch
from torch import Tensor


def _slots(block_table: Tensor, lengths: Tensor, block_size: int) -> tuple[Tensor, Tensor]:
    """Slot of every token in the flat pool, and whether the token is there."""
    longest = int(lengths.max())
    token = torch.arange(longest, device=block_table.device)
    block = block_table.to(torch.int64).index_select(1, token.div(block_size, rounding_mode="floor"))
    slot = block * block_size + token.remainder(block_size)
    there = token.unsqueeze(0) < lengths.unsqueeze(1)
    return torch.where(there, slot, slot[:, :1]), there


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    wide = torch.promote_types(query.dtype, torch.float32)
    block_size, kv_heads = key_pool.shape[1], key_pool.shape[2]
    slot, there = _slots(block_table, lengths, block_size)

    def fetch(pool: Tensor) -> Tensor:
        flat = pool.flatten(0, 1).index_select(0, slot.flatten())
        return flat.unflatten(0, slot.shape).movedim(2, 1).to(wide)     # (b, g, t, d)

    keys, values = fetch(key_pool), fetch(value_pool)
    q = query.to(wide).unflatten(1, (kv_heads, -1))                     # (b, g, r, d)
    scores = (q @ keys.mT) * query.shape[-1] ** -0.5
    scores = scores.masked_fill(~there[:, None, None], -torch.inf)
    weights = (scores - scores.logsumexp(-1, keepdim=True)).exp()
    return (weights @ values).flatten(1, 2).to(query.dtype)
