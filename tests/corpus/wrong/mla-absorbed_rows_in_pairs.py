# wrong: mla-absorbed up-split-before-heads line 24
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



class Absorbed:
    def __init__(self, weight, heads, head_dim):
        pairs = weight.view(heads, head_dim, 2, -1)
        self.w_uk = pairs[:, :, 0]
        self.w_uv = pairs[:, :, 1]

    def __call__(self, q_nope, q_pe, cache, lengths):
        n = q_nope.shape[2]
        r = q_pe.shape[-1]
        at = (lengths - n)[:, None] + torch.arange(n, device=cache.device)
        q = torch.cat((torch.einsum("bhnd,hdc->bhnc", q_nope, self.w_uk), rope(q_pe, at[:, None])), -1)
        logits = torch.einsum("bhnw,bkw->bhnk", q, cache) * (q_nope.shape[-1] + r) ** -0.5
        late = torch.arange(cache.shape[1], device=cache.device) > at[:, None, :, None]
        attn = torch.softmax(logits.masked_fill(late, float("-inf")), dim=-1)
        return torch.einsum("bhnk,bkc,hdc->bhnd", attn, cache[..., :-r], self.w_uv)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    layer = Absorbed(kv_up, query_content.shape[1], query_content.shape[3])
    return layer(query_content, query_rope, cache, lengths)
