from typing import Iterator

import torch
from torch import Tensor


def _walk(pool_k: Tensor, pool_v: Tensor, table: list[int], n: int) -> Iterator[tuple[Tensor, Tensor]]:
    size = pool_k.shape[1]
    for t0 in range(0, n, size):
        phys = table[t0 // size]
        m = min(size, n - t0)
        yield pool_k[phys, :m], pool_v[phys, :m]


def paged_attention(query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor):
    B, H, D = query.shape
    G = key_pool.shape[2]
    ftype = torch.promote_types(query.dtype, torch.float32)
    scaled = query.to(ftype).reshape(B, G, H // G, D) * D ** -0.5

    result = []
    m_run = torch.full((G, H // G, 1), float("-inf"), dtype=ftype, device=query.device)
    for q, table, n in zip(scaled, block_table.tolist(), lengths.tolist()):
        l_run = torch.zeros(G, H // G, 1, dtype=ftype, device=query.device)
        o_run = torch.zeros_like(q)
        for k, v in _walk(key_pool, value_pool, table, n):
            s = torch.einsum("grd,tgd->grt", q, k.to(ftype))
            m_new = torch.maximum(m_run, s.amax(-1, keepdim=True))
            p, c = torch.exp(s - m_new), torch.exp(m_run - m_new)
            l_run = c * l_run + p.sum(-1, keepdim=True)
            o_run = c * o_run + torch.einsum("grt,tgd->grd", p, v.to(ftype))
            m_run = m_new
        result.append((o_run / l_run).reshape(H, D))
    return torch.stack(result).to(query.dtype)
