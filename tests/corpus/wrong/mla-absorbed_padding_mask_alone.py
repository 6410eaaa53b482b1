# wrong: mla-absorbed causal-missing line 30
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
    latent = cache[..., :-rope_dim]
    up = kv_up.view(heads, 2, head_dim, -1)
    positions = lengths[:, None] - query_length + torch.arange(query_length, device=cache.device)
    q = torch.cat((query_content @ up[:, 0], rope(query_rope, positions[:, None])), dim=-1)
    scores = q @ cache.transpose(1, 2)[:, None] / math.sqrt(head_dim + rope_dim)
    padding = torch.arange(cache.shape[1], device=cache.device) >= lengths[:, None]
    scores = scores.masked_fill(padding[:, None, None], float("-inf"))
    return scores.softmax(dim=-1) @ latent[:, None] @ up[:, 1].transpose(1, 2)
