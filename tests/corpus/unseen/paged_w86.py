# attn-kata: paged
import math

import torch
from torch import Tensor


class Pages:
    """reader of one pool"""

    def __init__(self, pool: Tensor) -> None:
        self.pool = pool
        self.size = pool.shape[1]

    def gather(self, row: Tensor, length: int) -> Tensor:
        blocks = max(1, length // self.size)
        pages = self.pool[row[:blocks].long()]
        return pages.flatten(0, 1)[:length]


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    heads, head_dim = query.shape[1:]
    kv_heads = key_pool.shape[2]
    keys, values = Pages(key_pool), Pages(value_pool)
    out = []
    for q, row, length in zip(query, block_table, lengths.tolist()):
        k = keys.gather(row, length).repeat_interleave(heads // kv_heads, dim=1)
        v = values.gather(row, length).repeat_interleave(heads // kv_heads, dim=1)
        s = torch.einsum("hd,thd->ht", q, k) / math.sqrt(head_dim)
        out.append(torch.einsum("ht,thd->hd", s.softmax(dim=-1), v))
    return torch.stack(out)
