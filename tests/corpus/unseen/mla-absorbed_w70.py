from __future__ import annotations

import torch
from torch import Tensor


class Rotary:
    """Half-split rotary embedding, in the manner of the modeling_* files."""

    def __init__(self, dim: int, like: Tensor, base: float = 10000.0):
        self.like = like
        self.inv_freq = 1.0 / base ** (torch.arange(0, dim, 2, device=like.device, dtype=torch.float32) / dim)

    def angles(self, position: Tensor) -> Tensor:
        t = position.to(self.like.dtype)
        return t.unsqueeze(-1) * self.inv_freq

    def __call__(self, x: Tensor, position: Tensor) -> Tensor:
        freqs = self.angles(position)
        cos, sin = freqs.cos().repeat(*[1] * (freqs.dim() - 1), 2), freqs.sin().repeat(*[1] * (freqs.dim() - 1), 2)
        x1, x2 = x.split(x.shape[-1] // 2, dim=-1)
        return (x * cos + torch.cat((x2.neg(), x1), -1) * sin).type_as(x)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    rotary = Rotary(key_rope.shape[-1], like=key_rope)
    return torch.cat((latent, rotary(key_rope, positions)), dim=-1)


def _split_up_projection(kv_up: Tensor, heads: int) -> tuple[Tensor, Tensor]:
    per_head = kv_up.unflatten(0, (heads, -1))
    return tuple(per_head.chunk(2, dim=1))


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    _, heads, n_query, head_dim = query_content.shape
    rope_dim = query_rope.shape[-1]
    latent_dim = kv_up.shape[-1]
    wide = torch.promote_types(query_content.dtype, torch.float32)
    up_key, up_value = _split_up_projection(kv_up.to(wide), heads)
    rotary = Rotary(rope_dim, like=query_rope)

    contexts = []
    for qc, qr, entries, n in zip(query_content, query_rope, cache, lengths.tolist()):
        position = torch.arange(n - n_query, n, device=cache.device)
        latent, rope_key = entries[:n].to(wide).split([latent_dim, rope_dim], dim=-1)
        absorbed = torch.einsum("hqd,hdc->hqc", qc.to(wide), up_key)
        scores = torch.einsum("hqc,kc->hqk", absorbed, latent)
        scores = scores + torch.einsum("hqr,kr->hqk", rotary(qr.to(wide), position), rope_key)
        scores = scores / (head_dim + rope_dim) ** 0.5
        ahead = torch.arange(n, device=cache.device)[None, :] > position[:, None]
        weights = scores.masked_fill(ahead, float("-inf")).softmax(-1)
        mixed = torch.einsum("hqk,kc->hqc", weights, latent)
        contexts.append(torch.einsum("hqc,hdc->hqd", mixed, up_value))
    return torch.stack(contexts).type_as(query_content)
