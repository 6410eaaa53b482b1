from __future__ import annotations

import math

import torch
from torch import Tensor


def _rotate(t: Tensor, positions: Tensor) -> Tensor:
    dim = t.shape[-1]
    inverse = torch.pow(10000.0, -torch.arange(0, dim, 2, device=t.device, dtype=torch.float64) / dim)
    angle = positions.to(torch.float64).unsqueeze(-1) * inverse
    cos, sin = angle.cos().to(t.dtype), angle.sin().to(t.dtype)
    first, second = t.chunk(2, dim=-1)
    return torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    return torch.cat((latent, _rotate(key_rope, positions)), dim=-1)


@torch.no_grad()
def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    batch, heads, count, head_dim = query_content.shape
    width = kv_up.shape[1]
    work = torch.promote_types(query_content.dtype, torch.float32)
    per_head = kv_up.to(work).unflatten(0, (heads, 2, head_dim))
    output = torch.zeros_like(query_content, dtype=work)
    for b in range(batch):
        size = int(lengths[b])
        entries = cache[b, :size].to(work)
        positions = torch.arange(size - count, size, device=cache.device)
        ahead = torch.arange(size, device=cache.device) > positions.unsqueeze(1)
        for h in range(heads):
            absorbed = query_content[b, h].to(work) @ per_head[h, 0]
            query = torch.cat((absorbed, _rotate(query_rope[b, h].to(work), positions)), dim=-1)
            scores = query @ entries.T / math.sqrt(head_dim + query_rope.shape[-1])
            weights = torch.softmax(scores.masked_fill(ahead, -math.inf), dim=-1)
            output[b, h] = weights @ entries[:, :width] @ per_head[h, 1].T
    return output
