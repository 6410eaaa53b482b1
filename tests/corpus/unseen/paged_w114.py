import math

import torch
from torch import Tensor


class PagedReader:
    """Looks the tokens of one sequence up in a pool of blocks."""

    def __init__(self, key_pool: Tensor, value_pool: Tensor) -> None:
        self.block_size = key_pool.size(1)
        self.keys = key_pool.flatten(0, 1)  # (num_blocks * block_size, kv_heads, head_dim)
        self.values = value_pool.flatten(0, 1)

    def rows(self, table: Tensor, length: int) -> Tensor:
        token = torch.arange(length, device=table.device)
        block = table[token // self.block_size].long()
        return block + token % self.block_size

    def read(self, table: Tensor, length: int) -> tuple[Tensor, Tensor]:
        rows = self.rows(table, length)
        return self.keys[rows], self.values[rows]


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    reader = PagedReader(key_pool, value_pool)
    scale = 1 / math.sqrt(query.size(-1))
    context = []
    for q, table, length in zip(query, block_table, lengths.tolist()):
        k, v = reader.read(table, length)
        q = q.unflatten(0, (k.size(1), -1))  # kv_heads, queries of a group, head_dim
        weights = torch.softmax(q @ k.permute(1, 2, 0) * scale, dim=-1)
        context.append((weights @ v.transpose(0, 1)).flatten(0, 1))
    return torch.stack(context)
