import torch


def flash_attention(query, key, value, block_size, causal=False):
    B, H, T, D = query.shape
    bs = min(block_size, T)
    q = query * D ** -0.5
    m = torch.full((B, H, T, 1), float("-inf"), dtype=q.dtype, device=q.device)
    l = torch.zeros_like(m)
    o = torch.zeros_like(q)
    r = torch.arange(T, device=q.device)
    for t in range(T // bs):
        a, b = t * bs, (t + 1) * bs
        s = q @ key[:, :, a:b].transpose(-1, -2)
        if causal:
            s = s.masked_fill(r[a:b] > r[:, None], float("-inf"))
        mn = torch.maximum(m, s.max(-1, keepdim=True).values)
        p = torch.exp(s - mn)
        c = torch.exp(m - mn)
        l = c * l + p.sum(-1, keepdim=True)
        o = c * o + p @ value[:, :, a:b]
        m = mn
    return o / l
