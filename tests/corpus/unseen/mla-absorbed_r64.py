"""Absorbed latent attention. I write down one sequence; vmap does the batch."""
import torch
from torch.func import vmap

BASE = 1e4


def turn(vec, pos):
    r = vec.size(-1)
    theta = BASE ** (torch.arange(r // 2, dtype=torch.float64, device=vec.device) * (-2 / r))
    angle = pos.to(torch.float64).unsqueeze(-1) * theta
    first, second = vec.unflatten(-1, (2, r // 2)).unbind(-2)
    c, s = angle.cos(), angle.sin()
    pair = torch.stack((first * c - second * s, second * c + first * s), dim=-2)
    return pair.flatten(-2).to(vec.dtype)


def cache_entries(latent, key_rope, positions):
    return torch.cat((latent, vmap(turn)(key_rope, positions)), dim=-1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    heads, q_len, head_dim = query_content.shape[1:]
    rope_dim = query_rope.size(-1)
    latent_dim = cache.size(-1) - rope_dim
    wide = torch.promote_types(cache.dtype, torch.float32)
    up_k, up_v = kv_up.to(wide).unflatten(0, (heads, 2, head_dim)).unbind(1)
    steps = torch.arange(q_len, device=cache.device)
    slots = torch.arange(cache.size(1), device=cache.device)

    def one(content, rope, entries, n):
        mine = n - q_len + steps
        entries = torch.where((slots < n).unsqueeze(-1), entries, 0).to(wide)
        absorbed = vmap(torch.mm)(content.to(wide), up_k)
        q = torch.cat((absorbed, turn(rope.to(wide), mine)), dim=-1)
        scores = (q.flatten(0, 1) @ entries.mT).unflatten(0, (heads, q_len))
        scores = scores * (head_dim + rope_dim) ** -0.5
        scores = torch.where(slots <= mine.unsqueeze(-1), scores, float("-inf"))
        w = scores.softmax(-1)
        mixed = (w.flatten(0, 1) @ entries[:, :latent_dim]).unflatten(0, (heads, q_len))
        return vmap(torch.mm)(mixed, up_v.mT)

    out = vmap(one)(query_content, query_rope, cache, lengths)
    return out.to(query_content.dtype)
