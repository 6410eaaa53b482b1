import math

import torch


def paged_attention(query, k_cache, v_cache, table, lens):
    b, h, d = query.shape
    block_size, kv = k_cache.shape[1], k_cache.shape[2]
    q = query.reshape(b, kv, h // kv, d)
    m = torch.full((b, kv, h // kv), -1e30, dtype=query.dtype, device=query.device)
    m = m.clamp(min=torch.finfo(query.dtype).min)
    l = torch.zeros_like(m)
    acc = torch.zeros_like(q)
    inside = torch.arange(block_size, device=query.device)
    for j in range(table.shape[1]):
        k = k_cache[table[:, j]]
        v = v_cache[table[:, j]]
        s = torch.einsum("bgrd,bpgd->bgrp", q, k) / math.sqrt(d)
        hidden = j * block_size + inside >= lens[:, None]
        s = s.masked_fill(hidden[:, None, None, :], float("-inf"))
        m_new = torch.maximum(m, s.amax(dim=-1))
        alpha = torch.exp(m - m_new)
        p = torch.exp(s - m_new[..., None])
        l = l * alpha + p.sum(dim=-1)
        acc = acc * alpha[..., None] + torch.einsum("bgrp,bpgd->bgrd", p, v)
        m = m_new
    return (acc / l[..., None]).reshape(b, h, d)
