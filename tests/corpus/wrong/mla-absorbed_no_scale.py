# wrong: mla-absorbed scale-missing line 29
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
    h, n, d = query_content.shape[1:]
    r = query_rope.shape[-1]
    uk, uv = kv_up.unflatten(0, (h, 2 * d)).split(d, dim=1)
    pos = lengths[:, None] - n + torch.arange(n, device=cache.device)
    latents, keys = cache.tensor_split([cache.shape[-1] - r], dim=-1)
    s = (query_content @ uk) @ latents[:, None].mT
    s = s + rope(query_rope, pos[:, None]) @ keys[:, None].mT
    later = torch.arange(cache.shape[1], device=cache.device) > pos[..., None]
    w = s.masked_fill(later.unsqueeze(1), float("-inf")).softmax(-1)
    return (w @ latents[:, None]) @ uv.mT
