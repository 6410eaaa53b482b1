import math

import torch


def flash_attention(query, key, value, block_size, causal=False):
    """Streaming softmax over key tiles; running state kept in fp32 (fp64 stays fp64)."""
    acc_t = torch.float64 if query.dtype == torch.float64 else torch.float32
    B, H, N, D = query.shape
    q = query.to(acc_t) / math.sqrt(D)

    m_run = torch.full((B, H, N, 1), -math.inf, dtype=acc_t, device=query.device)
    l_run = torch.zeros_like(m_run)
    o_run = torch.zeros(B, H, N, D, dtype=acc_t, device=query.device)
    q_idx = torch.arange(N, device=query.device).view(N, 1)

    for j in range(0, N, block_size):
        kj = key[:, :, j:j + block_size].to(acc_t)
        vj = value[:, :, j:j + block_size].to(acc_t)
        s = torch.matmul(q, kj.transpose(2, 3))
        if causal:
            k_idx = torch.arange(j, j + kj.shape[2], device=query.device).view(1, -1)
            s = s.masked_fill(k_idx > q_idx, -math.inf)

        # tile 0 always shows key 0 to everyone, so m_new is finite from there on
        m_new = torch.maximum(m_run, s.max(dim=-1, keepdim=True).values)
        alpha = torch.exp(m_run - m_new)
        p = torch.exp(s - m_new)
        l_run = l_run * alpha + p.sum(dim=-1, keepdim=True)
        o_run = o_run * alpha + torch.matmul(p, vj)
        m_run = m_new

    return (o_run / l_run).to(query.dtype)
