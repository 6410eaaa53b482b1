# wrong: mla-absorbed tensor-too-large line 24
"""MLA decode step."""
import torch
from torch import einsum


def rope(x, pos):
    half = x.shape[-1] // 2
    freq = 10000.0 ** (-torch.arange(half, device=x.device).double() / half)
    ang = pos.double().unsqueeze(-1) * freq
    x1, x2 = x.double().split(half, dim=-1)
    return torch.cat([x1 * ang.cos() - x2 * ang.sin(), x2 * ang.cos() + x1 * ang.sin()], -1).to(x.dtype)


def cache_entries(latent, key_rope, positions):
    return torch.cat([latent, rope(key_rope, positions)], dim=-1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    b, h, s, d = query_content.shape
    r = query_rope.shape[-1]
    c, kr = cache[..., :-r], cache[..., -r:]
    w = kv_up.view(h, 2 * d, -1)
    kv = einsum("btc,hec->bhte", c, w)
    k, v = kv[..., :d], kv[..., d:]
    pos = lengths[:, None] - s + torch.arange(s, device=c.device)
    qr = rope(query_rope, pos[:, None])
    att = einsum("bhsd,bhtd->bhst", query_content, k) + einsum("bhsr,btr->bhst", qr, kr)
    att = att / (d + r) ** 0.5
    att = att.masked_fill(torch.arange(c.shape[1], device=c.device) > pos[:, None, :, None], float("-inf"))
    return att.softmax(-1) @ v
