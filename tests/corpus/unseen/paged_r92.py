import math

import torch
from torch import Tensor


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    b, h, d = query.shape
    _, page, g, _ = key_pool.shape
    r = h // g  # query heads to a kv head
    acc = torch.float64 if query.dtype == torch.float64 else torch.float32

    table = block_table.long()
    t = table.size(1) * page
    # (b, max_blocks, page, g, d) -> (b, t, g, d)
    k = key_pool[table].reshape(b, t, g, d).to(acc)
    v = value_pool[table].reshape(b, t, g, d).to(acc)

    dead = torch.arange(t, device=query.device)[None] >= lengths.to(query.device)[:, None]  # (b, t)
    v = v.masked_fill(dead[:, :, None, None], 0.0)  # stale slots may hold anything, nan too

    q = query.view(b, g, r, d).to(acc) if query.is_contiguous() else query.reshape(b, g, r, d).to(acc)
    s = torch.einsum("bgrd,btgd->bgrt", q, k) / math.sqrt(d)
    s = s.masked_fill(dead[:, None, None, :], float("-inf"))
    o = torch.einsum("bgrt,btgd->bgrd", s.softmax(-1), v)
    return o.reshape(b, h, d).to(query.dtype)
