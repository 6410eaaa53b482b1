from __future__ import annotations

import torch
from torch import Tensor


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    B, H, D = query.shape
    _, P, K, _ = key_pool.shape
    acc = torch.float64 if query.dtype == torch.float64 else torch.float32
    q = query.to(acc).view(B, K, H // K, D) * D**-0.5

    out = torch.empty_like(q)
    for b, n in enumerate(lengths.tolist()):
        z, pages = [], []
        for page, blk in enumerate(block_table[b, : (n + P - 1) // P].tolist()):
            used = min(P, n - page * P)
            k, v = key_pool[blk].to(acc), value_pool[blk].to(acc)
            # garbage may be NaN, and 0 * NaN is NaN: hide it on both sides
            v[used:] = 0
            s = torch.einsum("kgd,pkd->kgp", q[b], k)
            s[..., used:] = -torch.inf
            z.append(s)
            pages.append(v)
        w = torch.cat(z, -1).softmax(-1)
        out[b] = torch.einsum("kgp,pkd->kgd", w, torch.cat(pages))
    return out.view(B, H, D).to(query.dtype)
