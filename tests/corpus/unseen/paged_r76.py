import torch
from torch import Tensor


class PagedView:
    """One sequence's tokens, seen through the block table."""

    def __init__(self, pool: Tensor, table: Tensor):
        self.flat = pool.flatten(0, 1)  # (num_blocks * block_size, kv_heads, head_dim)
        self.block_size = pool.size(1)
        self.table = table

    def slots(self, b: int, n: int) -> Tensor:
        t = torch.arange(n, device=self.table.device)
        block = self.table[b].long().index_select(0, t // self.block_size)
        return block * self.block_size + t.remainder(self.block_size)

    def tokens(self, b: int, n: int) -> Tensor:
        return self.flat.index_select(0, self.slots(b, n))


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    B, H, D = query.shape
    G = key_pool.size(2)
    keys, vals = PagedView(key_pool, block_table), PagedView(value_pool, block_table)
    wide = torch.promote_types(query.dtype, torch.float32)
    rows = []
    for b, n in enumerate(lengths.tolist()):
        q = query[b].to(wide).unflatten(0, (G, H // G)) * D ** -0.5
        k, v = keys.tokens(b, n).to(wide), vals.tokens(b, n).to(wide)
        w = torch.einsum("grd,tgd->grt", q, k).softmax(-1)
        rows.append(torch.einsum("grt,tgd->grd", w, v).flatten(0, 1))
    return torch.stack(rows).to(query.dtype)
