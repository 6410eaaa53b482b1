import math

import torch


def flash_attention(query, key, value, block_size, causal=False):
    batch, heads, length, head_dim = query.shape
    block_size = min(block_size, length)
    scale = 1.0 / math.sqrt(head_dim)

    m = torch.full((batch, heads, length, 1), float("-inf"), dtype=query.dtype, device=query.device)
    l = torch.zeros((batch, heads, length, 1), dtype=query.dtype, device=query.device)
    o = torch.zeros_like(query)
    q_idx = torch.arange(length, device=query.device)[:, None]

    for start in range(0, length - block_size + 1, block_size):
        end = start + block_size
        k_block = key[:, :, start:end]
        v_block = value[:, :, start:end]
        s = torch.matmul(query, k_block.transpose(-2, -1)) * scale
        if causal:
            k_idx = torch.arange(start, end, device=query.device)[None, :]
            s = s.masked_fill(k_idx > q_idx, float("-inf"))
        m_new = torch.maximum(m, s.max(dim=-1, keepdim=True).values)
        alpha = torch.exp(m - m_new)
        p = torch.exp(s - m_new)
        l = alpha * l + p.sum(dim=-1, keepdim=True)
        o = alpha * o + torch.matmul(p, v_block)
        m = m_new

    return o / l
