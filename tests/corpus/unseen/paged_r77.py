"""All tokens of all sequences as one ragged list; the softmax goes by segments (scatter), as in graph nets."""
import torch
from torch import Tensor


def _slots(block_table: Tensor, lengths: Tensor, block_size: int) -> tuple[Tensor, Tensor]:
    owner = torch.repeat_interleave(torch.arange(len(lengths), device=lengths.device), lengths)
    first = torch.cumsum(lengths, 0) - lengths
    t = torch.arange(owner.numel(), device=lengths.device) - first[owner]
    block = block_table.long()[owner, torch.div(t, block_size, rounding_mode="floor")]
    return owner, block * block_size + torch.remainder(t, block_size)


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    batch, heads, d = query.shape
    _, block_size, kv_heads, _ = key_pool.shape
    group = heads // kv_heads
    up = torch.promote_types(query.dtype, torch.float32)
    owner, slot = _slots(block_table, lengths.long().to(block_table.device), block_size)

    k = key_pool.flatten(0, 1).index_select(0, slot).to(up)            # (tokens, kv_heads, d)
    v = value_pool.flatten(0, 1).index_select(0, slot).to(up)
    q = query.to(up).view(batch, kv_heads, group, d).index_select(0, owner)
    s = torch.einsum("tkgd,tkd->tkg", q, k) / d**0.5

    index = owner[:, None, None].expand_as(s)
    top = s.new_full((batch, kv_heads, group), -torch.inf).scatter_reduce(0, index, s, "amax", include_self=False)
    e = torch.exp(s - top[owner])
    z = torch.zeros_like(top).index_add(0, owner, e)
    mixed = torch.zeros(batch, kv_heads, group, v.shape[-1], dtype=up, device=query.device)
    mixed = mixed.index_add(0, owner, e.unsqueeze(-1) * v.unsqueeze(2))
    return (mixed / z.unsqueeze(-1)).reshape(batch, heads, -1).to(query.dtype)
