# attn-kata: mla-absorbed
import math

import torch

# multi-query attention: (head, query) is one long row axis against a single wide key head


def _rotate_half(x):
    a, b = x.chunk(2, dim=-1)
    return torch.cat([-b, a], dim=-1)


def _cos_sin(positions, dim, dtype):
    theta = torch.logspace(0, -1 + 2 / dim, dim // 2, base=1e4, dtype=torch.float64, device=positions.device)
    angle = (positions.double()[..., None] * theta).repeat(*(1,) * positions.dim(), 2)
    return angle.cos().to(dtype), angle.sin().to(dtype)


def cache_entries(latent, key_rope, positions):
    acc = torch.promote_types(key_rope.dtype, torch.float32)
    cos, sin = _cos_sin(positions, key_rope.shape[-1], acc)
    k = key_rope.to(acc)
    return torch.cat([latent, (k * cos + _rotate_half(k) * sin).to(latent.dtype)], dim=-1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    B, H, M, D = query_content.shape
    N, R = cache.shape[1], query_rope.shape[-1]
    C = cache.shape[2] - R
    acc = torch.promote_types(cache.dtype, torch.float32)

    w_uk, w_uv = kv_up.to(acc).view(H, 2, D, C).unbind(1)
    lengths = lengths.to(cache.device).view(B, 1)
    place = lengths - M + torch.arange(M, device=cache.device)                 # B, M
    cos, sin = (t[:, None] for t in _cos_sin(place, R, acc))
    qr = query_rope.to(acc)
    qr = qr * cos + _rotate_half(qr) * sin
    qc = torch.einsum("bhmd,hdc->bhmc", query_content.to(acc), w_uk)
    q = torch.cat([qc, qr], -1).flatten(1, 2)                                  # B, H*M, C+R

    columns = torch.arange(N, device=cache.device)
    memory = cache.to(acc).masked_fill((columns >= lengths)[..., None], 0)
    s = torch.bmm(q, memory.mT).div_(math.sqrt(D + R)).view(B, H, M, N)
    s.masked_fill_((columns > place[..., None])[:, None], -math.inf)
    ctx = torch.bmm(s.softmax(-1).flatten(1, 2), memory[..., :C]).view(B, H, M, C)
    return torch.einsum("bhmc,hdc->bhmd", ctx, w_uv).to(query_content.dtype)
