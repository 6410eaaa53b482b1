import torch
from torch import Tensor

BASE = 10000.0


def rope_half(x: Tensor, positions: Tensor) -> Tensor:
    n = x.size(-1) // 2
    rate = BASE ** -(torch.arange(n, dtype=torch.float64, device=x.device) / n)
    phase = torch.einsum("...,f->...f", positions.double(), rate)
    left, right = x.split(n, dim=-1)
    cos, sin = phase.cos().to(x), phase.sin().to(x)
    return torch.cat([left * cos - right * sin, left * sin + right * cos], dim=-1)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    return torch.cat([latent, rope_half(key_rope, positions)], dim=-1)


def absorbed_attention(query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor) -> Tensor:
    batch, heads, queries, width = query_content.shape
    latent = kv_up.shape[-1]
    up = kv_up.view(heads, 2, width, latent)
    first = (lengths - queries)[:, None]
    positions = first + torch.arange(queries, device=cache.device)[None]
    q = torch.cat([query_content @ up[:, 0], rope_half(query_rope, positions[:, None])], dim=-1)
    scale = (width + query_rope.shape[-1]) ** -0.5
    logits = (q.flatten(1, 2) @ cache.mT * scale).view(batch, heads, queries, -1)
    slots = torch.arange(cache.shape[1], device=cache.device)
    valid = slots[None, None, None] < lengths[:, None, None, None]
    probs = logits.masked_fill(~valid, float("-inf")).softmax(dim=-1)
    mixed = (probs.flatten(1, 2) @ cache[..., :latent]).view(batch, heads, queries, latent)
    return mixed @ up[:, 1].mT
