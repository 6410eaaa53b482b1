# wrong: mla-absorbed rope-on-content line 28
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
    heads, query_length, head_dim = query_content.shape[1:]
    rope_dim = query_rope.shape[-1]
    latent, key_rope = cache[..., :-rope_dim], cache[..., -rope_dim:]
    key_up, value_up = kv_up.view(heads, 2, head_dim, -1).unbind(dim=1)
    positions = lengths.unsqueeze(-1) - query_length + torch.arange(query_length, device=cache.device)
    q_content = rope(query_content, positions.unsqueeze(1))
    q_rope = rope(query_rope, positions.unsqueeze(1))
    content = torch.einsum("bhqd,hdc,bkc->bhqk", q_content, key_up, latent)
    rotary = torch.einsum("bhqr,bkr->bhqk", q_rope, key_rope)
    scores = (content + rotary) / math.sqrt(head_dim + rope_dim)
    seen = torch.arange(cache.shape[1], device=cache.device) <= positions.unsqueeze(-1)
    weights = scores.masked_fill(~seen.unsqueeze(1), float("-inf")).softmax(dim=-1)
    mixed = torch.einsum("bhqk,bkc->bhqc", weights, latent)
    return torch.einsum("bhqc,hdc->bhqd", mixed, value_up)
