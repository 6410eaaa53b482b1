from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Rotary:
    dim: int
    base: float = 10000.0

    def __call__(self, x: Tensor, positions: Tensor) -> Tensor:
        exponent = -2 * torch.arange(self.dim // 2, device=x.device, dtype=torch.float64) / self.dim
        angle = positions.double().unsqueeze(-1) * self.base**exponent
        turn = torch.polar(torch.ones_like(angle), angle)
        z = torch.complex(*x.double().chunk(2, dim=-1)) * turn
        return torch.cat((z.real, z.imag), dim=-1).to(x.dtype)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    rotary = Rotary(key_rope.shape[-1])
    return torch.cat((latent, rotary(key_rope, positions)), dim=-1)


def one_sequence(content: Tensor, rope: Tensor, entries: Tensor, length: int, up: Tensor) -> Tensor:
    """content (heads, queries, head_dim), rope (heads, queries, rope_dim), entries (key_length, ...)"""
    heads, queries, head_dim = content.shape
    own = entries[:length]
    rope_dim = rope.shape[-1]
    latents, rotated_keys = own.split((own.shape[-1] - rope_dim, rope_dim), dim=-1)
    positions = torch.arange(length - queries, length, device=rope.device)
    rope = Rotary(rope_dim)(rope, positions)

    context = []
    for q_content, q_rope, (key_up, value_up) in zip(content, rope, up):
        scores = (q_content @ key_up) @ latents.T + q_rope @ rotated_keys.T
        weights = torch.softmax(scores / math.sqrt(head_dim + rope_dim), dim=-1)
        context.append(weights @ latents @ value_up.T)
    return torch.stack(context)


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    heads, head_dim = query_content.shape[1], query_content.shape[-1]
    work = torch.promote_types(query_content.dtype, torch.float32)
    up = kv_up.to(work).unflatten(0, (heads, 2, head_dim))
    rows = zip(query_content.to(work), query_rope.to(work), cache.to(work), lengths.tolist())
    return torch.stack([one_sequence(*row, up) for row in rows]).to(query_content.dtype)
