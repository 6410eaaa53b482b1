# right: paged
import math
import torch
from torch import einsum


def paged_attention(q, k_cache, v_cache, block_table, cache_seqlens):
    """q: (b, h, d); caches: (n, page, hk, d)"""
    hk = k_cache.shape[2]
    head_to_kv = torch.arange(q.shape[1], device=q.device) // (q.shape[1] // hk)
    k_cache, v_cache = k_cache[:, :, head_to_kv], v_cache[:, :, head_to_kv]
    page = k_cache.shape[1]
    pages = int(-(-cache_seqlens.max() // page))
    scores, vals = [], []
    for i in range(pages):
        ids = block_table[:, i]
        s = einsum("bhd,bphd->bhp", q, k_cache[ids]) / math.sqrt(q.shape[-1])
        pos = torch.arange(i * page, (i + 1) * page, device=q.device)
        s.masked_fill_((pos >= cache_seqlens[:, None]).unsqueeze(1), -math.inf)
        scores.append(s)
        vals.append(v_cache[ids])
    attn = torch.cat(scores, -1).softmax(-1)
    return einsum("bhp,bphd->bhd", attn, torch.cat(vals, 1))
