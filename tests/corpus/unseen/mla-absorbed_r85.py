from __future__ import annotations

from typing import TypedDict

import torch
from torch import Tensor


class Widths(TypedDict):
    head: int
    rope: int
    latent: int


BASE = 10000.0


def _rotated(x: Tensor, positions: Tensor) -> Tensor:
    """x (…, n, rope), positions (…, n)."""
    half = x.shape[-1] // 2
    speed = BASE ** (torch.arange(half, dtype=torch.float64, device=x.device) / -half)
    angle = positions.double().unsqueeze(-1) * speed
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    a, b = x.split(half, dim=-1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    wide = key_rope.to(torch.promote_types(key_rope.dtype, torch.float32))
    return torch.cat((latent, _rotated(wide, positions).to(latent.dtype)), dim=-1)


def _head(content: Tensor, rotary: Tensor, rows: Tensor, up: Tensor, w: Widths) -> Tensor:
    """One head of one sequence; rows are its cached entries, and only these."""
    up_key, up_value = up.split(w["head"])  # (head, latent) each
    asked = torch.cat((content @ up_key, rotary), dim=-1)
    asked = asked / (w["head"] + w["rope"]) ** 0.5
    before = rows.shape[0] - asked.shape[0]
    mixed = []
    for i, one in enumerate(asked):
        mine = rows[: before + i + 1]
        mixed.append((mine @ one).softmax(dim=0) @ mine[:, : w["latent"]])
    return torch.stack(mixed) @ up_value.T


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    batch, heads, news, head = query_content.shape
    w = Widths(head=head, rope=query_rope.shape[-1], latent=kv_up.shape[-1])
    wide = torch.promote_types(cache.dtype, torch.float32)
    ups = kv_up.chunk(heads)
    context = []
    for b, length in enumerate(lengths.tolist()):
        rows = cache[b, :length].to(wide)
        at = torch.arange(length - news, length, device=cache.device)
        for h in range(heads):
            rotary = _rotated(query_rope[b, h].to(wide), at)
            context.append(_head(query_content[b, h].to(wide), rotary, rows, ups[h].to(wide), w))
    return torch.stack(context).view(batch, heads, news, head).to(query_content.dtype)
