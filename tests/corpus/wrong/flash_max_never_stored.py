# wrong: flash max-not-carried line 20
# fair: max-not-carried 8, 20, 21, 22, 23, 24
import math, torch


def flash_attention(query, key, value, block_size, causal=False):
    B, H, T, D = query.shape
    m = torch.full((B, H, T, 1), float("-inf"), dtype=query.dtype, device=query.device)
    l = torch.zeros((B, H, T, 1), dtype=query.dtype, device=query.device)
    o = torch.zeros_like(query)
    for s in range(0, T, block_size):
        e = min(s + block_size, T)
        k, v = key[:, :, s:e], value[:, :, s:e]
        x = (query @ k.transpose(-1, -2)) / math.sqrt(D)
        if causal:
            r = torch.arange(T, device=query.device)[:, None]
            c = torch.arange(s, e, device=query.device)[None]
            x = torch.where(c <= r, x, torch.tensor(-1e30 if x.dtype != torch.float16 else -6e4, dtype=x.dtype, device=x.device))

        m_new = torch.maximum(m, x.amax(-1, keepdim=True))
        p = torch.exp(x - m_new)
        a = torch.exp(m - m_new)
        l = a * l + p.sum(-1, keepdim=True)
        o = a * o + p @ v
    return o / l
