# the inner loop of FlashAttention-2, from memory
import math

import torch


def _attn_fwd_inner(acc, l_i, m_i, q, k, v, qk_scale, keep):
    qk = torch.matmul(q, k.transpose(-1, -2)) * qk_scale
    if keep is not None:
        qk = qk.masked_fill(~keep, float("-inf"))
    # -- compute p and the correction
    m_ij = torch.amax(qk, dim=-1, keepdim=True)
    p = torch.exp(qk - m_ij)
    alpha = torch.exp(m_i - m_ij)
    # -- update running sum and accumulator
    l_i = l_i * alpha + p.sum(dim=-1, keepdim=True)
    acc = acc * alpha + torch.matmul(p, v)
    return acc, l_i, m_ij


def flash_attention(query, key, value, block_size, causal=False):
    N_CTX, HEAD_DIM = query.shape[-2:]
    BLOCK_M = BLOCK_N = block_size
    sm_scale = 1.0 / math.sqrt(HEAD_DIM)
    out = torch.empty_like(query)

    for start_m in range(0, N_CTX, BLOCK_M):
        q = query[:, :, start_m : start_m + BLOCK_M]
        offs_m = start_m + torch.arange(q.size(-2), device=q.device)
        m_i = torch.full_like(q[..., :1], float("-inf"))
        l_i = torch.zeros_like(q[..., :1])
        acc = torch.zeros_like(q)
        # causal: stop after the tile on the diagonal
        hi = min(start_m + BLOCK_M, N_CTX) if causal else N_CTX
        for start_n in range(0, hi, BLOCK_N):
            k = key[:, :, start_n : start_n + BLOCK_N]
            v = value[:, :, start_n : start_n + BLOCK_N]
            keep = None
            if causal:
                offs_n = start_n + torch.arange(k.size(-2), device=q.device)
                keep = offs_m[:, None] >= offs_n[None, :]
            acc, l_i, m_i = _attn_fwd_inner(acc, l_i, m_i, q, k, v, sm_scale, keep)
        out[:, :, start_m : start_m + BLOCK_M] = acc / l_i
    return out
