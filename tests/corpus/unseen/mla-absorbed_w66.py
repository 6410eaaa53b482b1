# attn-kata: mla-absorbed
from __future__ import annotations

import math

import torch
from torch import Tensor

BASE = 10_000


class LatentDecoder:
    """Everything that belongs to one kv_up: both halves of it, head by head."""

    def __init__(self, kv_up: Tensor, heads: int, head_dim: int):
        blocks = kv_up.chunk(heads, dim=0)
        self.to_latent = [block[:head_dim] for block in blocks]
        self.from_latent = [block[head_dim:] for block in blocks]

    def run(self, content: Tensor, rotary: Tensor, cache: Tensor, hidden: Tensor, root: float) -> Tensor:
        latent_dim = cache.shape[-1] - rotary.shape[-1]
        out = []
        for h, (down, up) in enumerate(zip(self.to_latent, self.from_latent)):
            wide_query = torch.cat([content[:, h] @ down, rotary[:, h]], dim=-1)
            scores = torch.bmm(wide_query, cache.transpose(1, 2)) / root
            weights = torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=-1)
            out.append(torch.bmm(weights, cache[:, :, :latent_dim]) @ up.T)
        return torch.stack(out, dim=1)


def rotate(t: Tensor, positions: Tensor) -> Tensor:
    half = t.shape[-1] // 2
    exponent = torch.arange(half, dtype=torch.float64, device=t.device) / half
    angles = positions.to(torch.float64).unsqueeze(-1) / BASE ** exponent
    left, right = t[..., :half].double(), t[..., half:].double()
    cos, sin = torch.cos(angles), torch.sin(angles)
    return torch.cat([left * cos - right * sin, right * cos + left * sin], dim=-1)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    return torch.cat([latent, rotate(key_rope, positions).to(latent.dtype)], dim=-1)


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    _, heads, query_length, head_dim = query_content.shape
    work = torch.promote_types(query_content.dtype, torch.float32)
    lengths = lengths.to(cache.device)
    positions = lengths[:, None] - query_length + torch.arange(query_length, device=cache.device)
    rotary = rotate(query_rope, positions[:, None, :]).to(work)

    entry = torch.arange(cache.shape[1], device=cache.device)
    hidden = entry[None, None, :] >= lengths[:, None, None]

    decoder = LatentDecoder(kv_up.to(work), heads, head_dim)
    root = math.sqrt(head_dim + query_rope.shape[-1])
    context = decoder.run(query_content.to(work), rotary, cache.to(work), hidden, root)
    return context.to(query_content.dtype)
