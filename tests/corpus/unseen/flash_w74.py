import torch, math

def flash_attention(query, key, value, block_size, causal=False):
    B, H, T, D = query.shape
    ft = torch.promote_types(query.dtype, torch.float32)
    q = query.to(ft) / math.sqrt(D)
    m = torch.full((B, H, T, 1), -math.inf, dtype=ft, device=q.device)
    l = torch.zeros_like(m)
    o = torch.zeros(B, H, T, D, dtype=ft, device=q.device)
    vis = torch.ones(T, T, dtype=torch.bool, device=q.device).tril() if causal else None
    for j in range(0, T, block_size):
        kj = key[:, :, j:j + block_size].to(ft)
        vj = value[:, :, j:j + block_size].to(ft)
        s = q @ kj.transpose(-1, -2)
        if causal:
            s = s.masked_fill(~vis[:, j:j + block_size], -math.inf)
        mn = torch.maximum(m, s.amax(-1, keepdim=True))
        p = torch.exp(s - mn)
        a = torch.exp(m - mn)
        l = a * l + p.sum(-1, keepdim=True)
        o = a * o + p @ vj
        m = mn
    return (o / l).to(query.dtype)
