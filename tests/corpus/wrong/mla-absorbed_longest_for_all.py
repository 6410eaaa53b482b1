# wrong: mla-absorbed lengths-ignored line 33
# fair: lengths-ignored 33, 34
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
    up = kv_up.view(h, 2, d, -1)
    longest = int(lengths.max())
    cache = cache[:, :longest]
    start = lengths.view(-1, 1, 1) - n
    q_pe = rope(query_rope, start + torch.arange(n, device=cache.device))
    q = torch.cat((query_content @ up[:, 0], q_pe), dim=-1)
    s = q @ cache.mT[:, None] / math.sqrt(d + r)
    causal = torch.ones(n, longest, dtype=torch.bool, device=cache.device).tril(longest - n)
    s = s.masked_fill(~causal, float("-inf"))
    return (s.softmax(-1) @ cache[:, None, :, :-r]) @ up[:, 1].mT
