import torch, math


def rotary(x, p):
    half = x.shape[-1] // 2
    i = torch.arange(half, device=x.device, dtype=torch.float64)
    th = p.to(torch.float64).unsqueeze(-1) * torch.pow(10000.0, -i / half)
    c, s = torch.cos(th).type_as(x), torch.sin(th).type_as(x)
    u, w = x[..., :half], x[..., half:]
    return torch.cat((u * c - w * s, w * c + u * s), -1)


def cache_entries(latent, key_rope, positions):
    rotated = rotary(key_rope, positions)
    return torch.cat((latent, rotated), -1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    B, H, Q, D = query_content.shape
    R = query_rope.shape[-1]
    C = kv_up.shape[-1]
    up = kv_up.view(2, H, D, C)
    WK, WV = up[0], up[1]
    qpos = (lengths - Q).view(B, 1) + torch.arange(Q, device=cache.device).view(1, Q)
    qr = rotary(query_rope, qpos.unsqueeze(1))
    ql = torch.einsum('bhqd,hdc->bhqc', query_content, WK)
    s = torch.einsum('bhqc,bkc->bhqk', ql, cache[:, :, :C])
    s = s + torch.einsum('bhqr,bkr->bhqk', qr, cache[:, :, C:])
    s = s / math.sqrt(D + R)
    kpos = torch.arange(cache.shape[1], device=cache.device)
    s = s.masked_fill((kpos > qpos.unsqueeze(-1)).unsqueeze(1), float('-inf'))
    a = torch.softmax(s, dim=-1)
    o = torch.einsum('bhqk,bkc->bhqc', a, cache[:, :, :C])
    return torch.einsum('bhqc,hdc->bhqd', o, WV)
