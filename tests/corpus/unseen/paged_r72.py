from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator

import torch
from torch import Tensor


@dataclass(frozen=True)
class Pool:
    """Places instead of blocks: place p of block n is row n * size + p."""

    flat: Tensor
    size: int

    @classmethod
    def of(cls, pool: Tensor) -> Pool:
        return cls(pool.flatten(0, 1), pool.shape[1])

    def rows(self, address: list[int]) -> Tensor:
        return self.flat[torch.tensor(address, device=self.flat.device)]


def addresses(table: list[int], length: int, size: int) -> Iterator[int]:
    for t in range(length):
        block, place = divmod(t, size)
        yield table[block] * size + place


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    keys, values = Pool.of(key_pool), Pool.of(value_pool)
    heads, kv_heads = query.shape[1], key_pool.shape[2]
    owner = [h * kv_heads // heads for h in range(heads)]
    real = torch.promote_types(query.dtype, torch.float32)
    out = []
    for q, table, length in zip(query, block_table.tolist(), lengths.tolist()):
        where = list(addresses(table, length, keys.size))
        k, v = keys.rows(where)[:, owner], values.rows(where)[:, owner]         # (n, heads, d)
        s = (q.to(real) * k.to(real)).sum(-1) * q.shape[-1] ** -0.5
        w = torch.softmax(s, dim=0)
        out.append((w.unsqueeze(-1) * v).sum(0))
    return torch.stack(out).to(query.dtype)
