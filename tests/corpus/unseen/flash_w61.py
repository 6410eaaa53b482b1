import math

import torch

BLOCK_M = 32


def flash_attention(query, key, value, block_size, causal=False):
    B, H, N, D = query.shape
    BLOCK_N = block_size
    acc_dtype = torch.float64 if query.dtype == torch.float64 else torch.float32
    sm_scale = 1.0 / math.sqrt(D)
    O = torch.zeros_like(query)

    for start_m in range(0, N, BLOCK_M):
        end_m = min(start_m + BLOCK_M, N)
        offs_m = torch.arange(start_m, end_m, device=query.device)
        q = query[:, :, start_m:end_m].to(acc_dtype)
        m_i = torch.full((B, H, end_m - start_m), float("-inf"), dtype=acc_dtype, device=query.device)
        l_i = torch.zeros_like(m_i)
        acc = torch.zeros_like(q)

        for start_n in range(0, N, BLOCK_N):
            if causal and start_n > start_m:
                break
            end_n = min(start_n + BLOCK_N, N)
            offs_n = torch.arange(start_n, end_n, device=query.device)
            k = key[:, :, start_n:end_n].to(acc_dtype)
            v = value[:, :, start_n:end_n].to(acc_dtype)
            qk = torch.matmul(q, k.transpose(-1, -2)) * sm_scale
            if causal:
                qk = torch.where(offs_m[:, None] >= offs_n[None, :], qk, float("-inf"))
            m_ij = torch.maximum(m_i, qk.max(dim=-1).values)
            p = torch.exp(qk - m_ij[..., None])
            alpha = torch.exp(m_i - m_ij)
            l_i = l_i * alpha + p.sum(dim=-1)
            acc = acc * alpha[..., None] + torch.matmul(p, v)
            m_i = m_ij

        O[:, :, start_m:end_m] = (acc / l_i[..., None]).to(O.dtype)
    return O
