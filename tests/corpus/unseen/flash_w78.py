import torch


def flash_attention(query, key, value, block_size, causal=False):
    B, nh, T, hs = query.shape
    device, dtype = query.device, query.dtype
    q = query * (hs ** -0.5)
    min_val = torch.finfo(dtype).min

    m_i = torch.full((B, nh, T, 1), min_val, dtype=dtype, device=device)
    l_i = torch.zeros((B, nh, T, 1), dtype=dtype, device=device)
    acc = torch.zeros((B, nh, T, hs), dtype=dtype, device=device)

    for start_n in range(0, T, block_size):
        k = key[:, :, start_n:start_n + block_size, :]
        v = value[:, :, start_n:start_n + block_size, :]
        # -- compute qk ----
        qk = q @ k.transpose(-2, -1)
        if causal:
            offs_m = torch.arange(T, device=device)
            offs_n = start_n + torch.arange(k.size(2), device=device)
            qk = torch.where(offs_m[:, None] >= offs_n[None, :], qk, min_val)
        m_ij = qk.amax(-1, keepdim=True)
        p = torch.exp(qk - m_ij)
        # -- update m_i and l_i
        alpha = torch.exp(m_i - m_ij)
        l_i = l_i * alpha + p.sum(-1, keepdim=True)
        # -- update output accumulator --
        acc = acc * alpha + p @ v
        m_i = m_ij
    return acc / l_i
