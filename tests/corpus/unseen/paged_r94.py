from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, kw_only=True)
class Layout:
    nblk: int
    page: int
    kvh: int
    d: int

    @property
    def slots(self) -> int:
        return self.nblk * self.page

    def address(self, table: Tensor, length: int) -> Tensor:
        """Rows of the flattened pool, of tokens 0 … length - 1."""
        token = torch.arange(length, device=table.device)
        block = table.index_select(0, torch.div(token, self.page, rounding_mode="floor")).long()
        return block * self.page + torch.remainder(token, self.page)


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    lay = Layout(**dict(zip(("nblk", "page", "kvh", "d"), key_pool.shape)))
    kind = torch.promote_types(query.dtype, torch.float32)
    keys = key_pool.reshape(lay.slots, lay.kvh, lay.d)
    values = value_pool.reshape(lay.slots, lay.kvh, lay.d)

    context = []
    for q, table, length in zip(query, block_table, lengths.tolist()):
        rows = lay.address(table, length)
        q = q.unflatten(0, (lay.kvh, -1)).to(kind)  # (kvh, group, d)
        k = keys.index_select(0, rows).permute(1, 2, 0).to(kind)  # (kvh, d, t)
        v = values.index_select(0, rows).transpose(0, 1).to(kind)  # (kvh, t, d)
        start = q.new_zeros(1, 1, 1)
        s = torch.baddbmm(start, q, k, beta=0, alpha=lay.d**-0.5)
        context.append(torch.bmm(s.softmax(dim=-1), v).flatten(0, 1))
    return torch.stack(context).to(query.dtype)
