# wrong: mla-absorbed rope-positions-shifted line 28
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
    b, h, n, d = query_content.shape
    r = query_rope.shape[-1]
    c = cache.shape[-1] - r
    up = kv_up.view(h, 2 * d, c)
    w_uk, w_uv = up[:, :d, :], up[:, d:, :]
    q_pe = rope(query_rope, lengths[:, None, None].expand(b, 1, n))
    q_c = torch.einsum("bhnd,hdc->bhnc", query_content, w_uk)
    s = torch.einsum("bhnc,bkc->bhnk", q_c, cache[..., :c]) + torch.einsum("bhnr,bkr->bhnk", q_pe, cache[..., c:])
    s = s / math.sqrt(d + r)
    col = torch.arange(cache.shape[1], device=cache.device)
    row = lengths[:, None] - n + torch.arange(n, device=cache.device)
    s = s.masked_fill((col[None, None] > row[..., None])[:, None], float("-inf"))
    p = s.softmax(-1)
    return torch.einsum("bhnk,bkc->bhnc", p, cache[..., :c]) @ w_uv.transpose(1, 2)
