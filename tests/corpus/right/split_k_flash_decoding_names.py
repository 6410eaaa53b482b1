# right: split-k
import math

import torch


def chunk_attention(q, k, v, mask):
    scale = 1.0 / math.sqrt(q.size(-1))
    qk = torch.matmul(q, k.transpose(-1, -2)) * scale
    qk = qk.masked_fill(mask.logical_not()[:, None, None], -float("inf"))
    m = qk.max(dim=-1).values
    m_safe = torch.where(m == -float("inf"), torch.zeros_like(m), m)
    p = torch.exp(qk - m_safe[..., None])
    l = p.sum(-1)
    acc = torch.matmul(p, v)
    o = acc / torch.where(l == 0, torch.ones_like(l), l)[..., None]
    lse = m_safe + torch.log(l)
    return o, lse


def merge(o, lse):
    lse_max, _ = lse.max(dim=0)
    lse_max = lse_max.masked_fill(lse_max.isinf(), 0)  # no split sees a key
    w = torch.exp(lse - lse_max)
    denom = w.sum(0)
    out = (w[..., None] * o).sum(0) / denom.clamp_min(1e-6)[..., None]
    return out, lse_max + torch.log(denom)


def split_k_attention(q, k_cache, v_cache, cache_seqlens, num_splits):
    n = k_cache.shape[2]
    step = (n + num_splits - 1) // num_splits
    outs, lses = [], []
    for s in range(num_splits):
        lo, hi = s * step, min((s + 1) * step, n)
        if lo >= n:
            break
        idx = torch.arange(lo, hi, device=q.device)
        o, lse = chunk_attention(q, k_cache[:, :, lo:hi], v_cache[:, :, lo:hi],
                                 idx[None] < cache_seqlens[:, None])
        outs.append(o)
        lses.append(lse)
    return merge(torch.stack(outs), torch.stack(lses))[0]
