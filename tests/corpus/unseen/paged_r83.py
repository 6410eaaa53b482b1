from __future__ import annotations

import torch
from torch import Tensor


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    """One column of the table at a time, for all sequences, with a running softmax: no sequence is gathered whole."""
    batch, heads, width = query.shape
    _, size, groups, _ = key_pool.shape
    dtype = torch.promote_types(query.dtype, torch.float32)
    q = query.to(dtype).unflatten(1, (groups, heads // groups)) / width**0.5          # b g r d

    highest = torch.full((batch, groups, heads // groups, 1), -torch.inf, dtype=dtype, device=query.device)
    total = torch.zeros_like(highest)
    mixed = torch.zeros_like(q)
    place = torch.arange(size, device=query.device)
    longest = int(lengths.max())
    for column in range(-(-longest // size)):
        number = block_table[:, column].long()
        left = lengths.to(query.device) - column * size                               # tokens from here on
        active = left > 0                                                             # others are done, and sit out
        which = active.nonzero().squeeze(1)
        keys = key_pool[number[which]].to(dtype).permute(0, 2, 3, 1)                   # a g d s
        values = value_pool[number[which]].to(dtype).transpose(1, 2)                   # a g s d
        unused = (place >= left[which, None])[:, None, None, :]
        values = values.masked_fill(unused.mT, 0.0)                                    # may be anything, NaN too
        scores = (q[which] @ keys).masked_fill(unused, -torch.inf)                     # a g r s
        before = highest[which]
        now = torch.maximum(before, scores.amax(-1, keepdim=True))
        fade, shares = (before - now).exp(), (scores - now).exp()
        highest[which] = now
        total[which] = total[which] * fade + shares.sum(-1, keepdim=True)
        mixed[which] = mixed[which] * fade + shares @ values
    return (mixed / total).flatten(1, 2).to(query.dtype)
