# wrong: mla-absorbed rope-not-on-queries line 33
# fair: rope-not-on-queries 33, 34
"""Flash style: over tiles of the cache with a running maximum; latents are key and value at once."""

import math

import torch

TILE = 8


def _turn(x, positions):
    acc = torch.promote_types(x.dtype, torch.float32)
    n = x.shape[-1] // 2
    inv = torch.pow(10000.0, -torch.arange(n, dtype=acc, device=x.device) / n)
    theta = positions.to(acc).unsqueeze(-1) * inv
    z = torch.complex(x[..., :n].to(acc), x[..., n:].to(acc))
    z = z * torch.polar(torch.ones_like(theta), theta)
    return torch.cat([z.real, z.imag], dim=-1).to(x.dtype)


def cache_entries(latent, key_rope, positions):
    return torch.cat([latent, _turn(key_rope, positions)], dim=-1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    batch, heads, queries, head_dim = query_content.shape
    rope_dim = query_rope.shape[-1]
    latent_dim = cache.shape[-1] - rope_dim
    acc = torch.promote_types(query_content.dtype, torch.float32)
    key_up, value_up = kv_up.unflatten(0, (heads, 2, head_dim)).unbind(1)
    place = (lengths - queries)[:, None] + torch.arange(queries, device=cache.device)
    q = torch.cat([query_content @ key_up, query_rope], dim=-1)
    q = q.to(acc) / math.sqrt(head_dim + rope_dim)
    running_max = q.new_full((batch, heads, queries, 1), -1e30)
    running_sum = q.new_zeros(batch, heads, queries, 1)
    acc_latent = q.new_zeros(batch, heads, queries, latent_dim)
    for begin in range(0, cache.shape[1], TILE):
        tile = cache[:, None, begin : begin + TILE].to(acc)
        s = q @ tile.transpose(-1, -2)
        keys = torch.arange(begin, begin + tile.shape[2], device=cache.device)
        unseen = keys > place[:, None, :, None]
        s = s.masked_fill(unseen, float("-inf"))
        new_max = torch.maximum(running_max, s.amax(-1, keepdim=True))
        p = torch.exp(s - new_max)
        fade = torch.exp(running_max - new_max)
        running_sum = running_sum * fade + p.sum(-1, keepdim=True)
        acc_latent = acc_latent * fade + p @ tile[..., :latent_dim]
        running_max = new_max
    out = acc_latent / running_sum
    return (out @ value_up.to(acc).mT).to(query_content.dtype)
