import torch


def _rope(x, pos):
    half = x.shape[-1] // 2
    inv = 10000 ** (torch.arange(half, device=x.device, dtype=torch.float32) / -half)
    ang = pos.to(torch.float32).unsqueeze(-1) * inv
    c, s = ang.cos(), ang.sin()
    x1, x2 = x[..., :half].float(), x[..., half:].float()
    return torch.cat([x1 * c - x2 * s, x2 * c + x1 * s], -1).to(x.dtype)


def cache_entries(latent, key_rope, positions):
    return torch.cat([latent, _rope(key_rope, positions)], -1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    B, H, T, D = query_content.shape
    R = query_rope.shape[-1]
    C = cache.shape[-1] - R
    S = cache.shape[1]
    w = kv_up.reshape(H, 2 * D, C)

    pos = lengths.view(B, 1) - T + torch.arange(T, device=cache.device)
    qr = _rope(query_rope, pos[:, None, :])
    ql = torch.einsum("bhtd,hdc->bhtc", query_content, w[:, :D])

    s = torch.einsum("bhtc,bsc->bhts", ql, cache[..., :C])
    s = s + torch.einsum("bhtr,bsr->bhts", qr, cache[..., C:])
    s = s / (D + R) ** 0.5
    ok = torch.arange(S, device=cache.device).view(1, 1, S) <= pos.view(B, T, 1)
    s = s.masked_fill(~ok[:, None], torch.finfo(s.dtype).min)
    p = s.float().softmax(-1).to(s.dtype) if s.dtype != torch.float64 else s.softmax(-1)

    ctx = torch.einsum("bhts,bsc->bhtc", p, cache[..., R:])
    return torch.einsum("bhtc,hdc->bhtd", ctx, w[:, D:])
