# wrong: mla-absorbed softmax-wrong-axis line 32
import math

import torch


def rope(x, positions):
    wide = torch.promote_types(x.dtype, torch.float32)
    dim = x.shape[-1]
    inv_freq = 10000.0 ** (-torch.arange(0, dim, 2, dtype=wide, device=x.device) / dim)
    angle = positions.to(wide)[..., None] * inv_freq
    x1, x2 = x.to(wide).chunk(2, dim=-1)
    out = torch.cat((x1 * angle.cos() - x2 * angle.sin(), x2 * angle.cos() + x1 * angle.sin()), dim=-1)
    return out.to(x.dtype)


def cache_entries(latent, key_rope, positions):
    return torch.cat((latent, rope(key_rope, positions)), dim=-1)



def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    _, h, n, d = query_content.shape
    r = query_rope.shape[-1]
    up = kv_up.reshape(h, 2 * d, -1)
    where = lengths[:, None] + torch.arange(-n, 0, device=cache.device)
    q = torch.cat((query_content @ up[:, :d], rope(query_rope, where[:, None])), dim=-1)
    k = cache[:, None]
    scores = k @ q.transpose(-1, -2) * (d + r) ** -0.5  # (b, h, key, query)
    late = torch.arange(cache.shape[1], device=cache.device)[:, None] > where[:, None, None, :]
    scores = scores.masked_fill(late, -1e9)
    weights = scores.softmax(dim=-1)
    mixed = weights.transpose(-1, -2) @ k[..., :-r]
    return mixed @ up[:, d:].transpose(-1, -2)
