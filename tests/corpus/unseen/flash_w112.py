import math
import torch


def flash_attention(query, key, value, block_size, causal=False):
    B, H, T, D = query.shape
    dev = query.device
    qs = query.float() if query.dtype in (torch.float16, torch.bfloat16) else query
    scale = 1 / math.sqrt(D)

    m = qs.new_full((B, H, T, 1), -1e30)
    l = qs.new_zeros((B, H, T, 1))
    acc = qs.new_zeros((B, H, T, D))
    rows = torch.arange(T, device=dev)[:, None]

    for j0 in range(0, T, block_size):
        kj = key[:, :, j0 : j0 + block_size].to(qs)
        vj = value[:, :, j0 : j0 + block_size].to(qs)
        s = qs @ kj.transpose(-1, -2) * scale
        if causal:
            cols = torch.arange(kj.shape[2], device=dev)
            s = s.masked_fill(cols > rows, float("-inf"))
        m_new = torch.maximum(m, s.amax(-1, keepdim=True))
        p = torch.exp(s - m_new)
        alpha = torch.exp(m - m_new)
        l = l * alpha + p.sum(-1, keepdim=True)
        acc = acc * alpha + p @ vj
        m = m_new
    return (acc / l).to(query.dtype)
