from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

NULL_BLOCK = 0


@dataclass(frozen=True)
class PagedCache:
    key_pool: Tensor
    value_pool: Tensor
    block_table: Tensor
    lengths: Tensor

    @property
    def block_size(self) -> int:
        return self.key_pool.size(1)

    def visible(self) -> Tensor:
        """(batch, max_blocks * block_size)"""
        max_blocks = self.block_table.size(1)
        slots = torch.arange(max_blocks * self.block_size, device=self.block_table.device)
        within = slots < self.lengths.unsqueeze(1)
        in_use = self.block_table.ne(NULL_BLOCK).repeat_interleave(self.block_size, dim=1)
        return within & in_use

    def read(self, pool: Tensor, dtype: torch.dtype) -> Tensor:
        """(batch, kv_heads, tokens, head_dim)"""
        rows = pool.index_select(0, self.block_table.flatten().long())
        rows = rows.view(self.block_table.size(0), -1, pool.size(2), pool.size(3))
        return rows.transpose(1, 2).to(dtype)


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    cache = PagedCache(key_pool, value_pool, block_table, lengths)
    dtype = torch.promote_types(query.dtype, torch.float32)
    batch, heads, head_dim = query.shape
    kv_heads = key_pool.size(2)
    grouped = query.to(dtype).view(batch, kv_heads, heads // kv_heads, head_dim)
    scores = grouped @ cache.read(key_pool, dtype).transpose(-2, -1) * head_dim**-0.5
    hidden = cache.visible().logical_not()[:, None, None, :]
    scores = scores.masked_fill(hidden, torch.finfo(dtype).min)
    context = torch.softmax(scores, dim=-1) @ cache.read(value_pool, dtype)
    return context.view(batch, heads, head_dim).to(query.dtype)
