import math
import torch


def rotate(t, positions):
    half = t.shape[-1] // 2
    freq = 10000.0 ** (-torch.arange(half, device=t.device, dtype=torch.float32) / half)
    angle = positions[..., None].float() * freq
    cos, sin = angle.cos(), angle.sin()
    a, b = t[..., :half], t[..., half:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1).to(t.dtype)


def cache_entries(latent, key_rope, positions):
    return torch.cat([latent, rotate(key_rope, positions)], dim=-1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    b, h, tq, d = query_content.shape
    rope_dim = query_rope.shape[-1]
    latent_dim = kv_up.shape[-1]
    w = kv_up.view(2, h, d, latent_dim)
    w_uk, w_uv = w[0], w[1]
    pos = lengths[:, None] - tq + torch.arange(tq, device=cache.device)
    q_pe = rotate(query_rope, pos[:, None])
    q_lat = torch.einsum("bhtd,hdc->bhtc", query_content, w_uk)
    c, k_pe = cache.split([latent_dim, rope_dim], dim=-1)
    scores = torch.einsum("bhtc,bsc->bhts", q_lat, c) + torch.einsum("bhtr,bsr->bhts", q_pe, k_pe)
    scores = scores.float() / math.sqrt(d + rope_dim) if scores.dtype != torch.float64 else scores / math.sqrt(d + rope_dim)
    hidden = torch.arange(cache.shape[1], device=cache.device) > pos[..., None]
    probs = scores.masked_fill(hidden[:, None], float("-inf")).softmax(-1).to(c.dtype)
    ctx = torch.einsum("bhts,bsc->bhtc", probs, c)
    return torch.einsum("bhtc,hdc->bhtd", ctx, w_uv)
