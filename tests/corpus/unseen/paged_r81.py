from __future__ import annotations

import torch
from torch import Tensor


def _slots(block_table: Tensor, lengths: Tensor, block_size: int):
    """Flat slot numbers of all tokens of all sequences, and whose they are."""
    lengths = lengths.long()
    owner = torch.repeat_interleave(torch.arange(len(lengths), device=lengths.device), lengths)
    start = torch.cumsum(lengths, 0) - lengths
    t = torch.arange(owner.numel(), device=lengths.device) - start[owner]
    block = block_table[owner, torch.div(t, block_size, rounding_mode="floor")].long()
    return owner, block * block_size + torch.remainder(t, block_size)


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    kind = query.dtype
    wide = torch.promote_types(kind, torch.float32)
    batch, heads, head_dim = query.shape
    kv_heads = key_pool.shape[2]
    owner, slot = _slots(block_table, lengths, key_pool.shape[1])
    k = key_pool.flatten(0, 1)[slot].to(wide)
    v = value_pool.flatten(0, 1)[slot].to(wide)
    of = torch.arange(heads, device=query.device) // (heads // kv_heads)
    s = (query[owner].to(wide) * k[:, of]).sum(-1) / head_dim**0.5

    index = owner[:, None].expand(-1, heads)
    top = torch.full((batch, heads), float("-inf"), dtype=wide, device=s.device)
    top = top.scatter_reduce(0, index, s, "amax")
    e = torch.exp(s - top[owner])
    total = torch.zeros_like(top).index_add(0, owner, e)
    mixed = torch.zeros(batch, heads, head_dim, dtype=wide, device=s.device)
    mixed = mixed.index_add(0, owner, e.unsqueeze(-1) * v[:, of])
    return (mixed / total.unsqueeze(-1)).to(kind)
