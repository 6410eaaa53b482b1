# Triton tutorial 06 in torch: outer loop over query blocks, exp2 with log2(e) folded into the scale
import math

import torch

LOG2E = 1.44269504088896340736


def _inner(acc, l_i, m_i, q, k, v, keep):
    qk = q @ k.mT
    if keep is not None:
        qk = torch.where(keep, qk, -torch.inf)
    m_ij = torch.maximum(m_i, qk.amax(dim=-1))
    p = torch.exp2(qk - m_ij.unsqueeze(-1))
    alpha = torch.exp2(m_i - m_ij)
    l_i = l_i * alpha + p.sum(-1)
    acc = acc * alpha.unsqueeze(-1) + p @ v
    return acc, l_i, m_ij


def flash_attention(query, key, value, block_size, causal=False):
    *front, n_ctx, d = query.shape
    wide = torch.promote_types(query.dtype, torch.float32)
    out = torch.empty_like(query)
    for lo in range(0, n_ctx, block_size):
        hi = min(lo + block_size, n_ctx)
        q = query[..., lo:hi, :].to(wide) * (LOG2E / math.sqrt(d))
        offs_m = torch.arange(lo, hi, device=query.device)
        m_i = torch.full((*front, hi - lo), -torch.inf, dtype=wide, device=query.device)
        l_i = torch.zeros_like(m_i)
        acc = torch.zeros((*front, hi - lo, d), dtype=wide, device=query.device)
        for start_n in range(0, hi if causal else n_ctx, block_size):
            stop_n = min(start_n + block_size, n_ctx)
            k = key[..., start_n:stop_n, :].to(wide)
            v = value[..., start_n:stop_n, :].to(wide)
            keep = None
            if causal and start_n == lo:          # only the tile on the diagonal needs a mask
                keep = offs_m[:, None] >= torch.arange(start_n, stop_n, device=query.device)
            acc, l_i, m_i = _inner(acc, l_i, m_i, q, k, v, keep)
        out[..., lo:hi, :] = (acc / l_i.unsqueeze(-1)).to(out.dtype)
    return out
