# attn-kata: mla-absorbed
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

Projection = Callable[[Tensor], Tensor]


class RopeMixin:
    base: float = 10000.0

    def rotate(self, states: Tensor, positions: Tensor) -> Tensor:
        dtype = torch.promote_types(states.dtype, torch.float32)
        dim = states.size(-1)
        inv_freq = self.base ** (-torch.arange(0, dim, 2, dtype=dtype, device=states.device) / dim)
        angle = positions.unsqueeze(-1).to(dtype) * inv_freq
        first, second = states.to(dtype).chunk(2, dim=-1)
        cos, sin = torch.cos(angle), torch.sin(angle)
        return torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1)


@dataclass(frozen=True)
class AbsorbedHeads:
    """For each head what goes before attention over the latents, and what comes after it."""

    before: Sequence[Projection]
    after: Sequence[Projection]

    @classmethod
    def from_weight(cls, kv_up: Tensor, heads: int) -> AbsorbedHeads:
        key_up, value_up = kv_up.view(heads, 2, -1, kv_up.size(-1)).unbind(dim=1)
        before = [lambda q, up=up: q @ up.to(q.dtype) for up in key_up]
        after = [lambda c: c @ value_up[h].to(c.dtype).T for h in range(heads)]
        return cls(before, after)


class LatentDecoder(RopeMixin):
    def entries(self, latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
        return torch.cat((latent, self.rotate(key_rope, positions).to(latent.dtype)), dim=-1)

    def attend(self, query: Tensor, cache: Tensor, latent_dim: int, stand: Tensor) -> Tensor:
        """query (batch, rows, width), already scaled; stand (batch, rows) their positions."""
        scores = torch.einsum("bqw,bkw->bqk", query, cache)
        keys = torch.arange(cache.size(1), device=cache.device)
        scores = scores.masked_fill(keys > stand.unsqueeze(-1), float("-inf"))
        return torch.einsum("bqk,bkc->bqc", scores.softmax(dim=-1), cache[..., :latent_dim])

    def __call__(
        self, query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
    ) -> Tensor:
        dtype = torch.promote_types(query_content.dtype, torch.float32)
        _, num_heads, query_length, head_dim = query_content.shape
        rope_dim = query_rope.size(-1)
        latent_dim = cache.size(-1) - rope_dim
        scale = 1 / math.sqrt(head_dim + rope_dim)

        keys = torch.arange(cache.size(1), device=cache.device)
        cache = cache.to(dtype).masked_fill((keys >= lengths[:, None])[..., None], 0.0)
        stand = lengths[:, None] - query_length + torch.arange(query_length, device=cache.device)
        heads = AbsorbedHeads.from_weight(kv_up, num_heads)

        rows = 2 * cache.size(-1)
        contexts: list[Tensor] = []
        for index in range(num_heads):
            content = heads.before[index](query_content[:, index].to(dtype))
            rope = self.rotate(query_rope[:, index], stand)
            query = torch.cat((content, rope), dim=-1) * scale
            parts = zip(query.split(rows, dim=1), stand.split(rows, dim=1))
            latent = torch.cat([self.attend(q, cache, latent_dim, at) for q, at in parts], dim=1)
            contexts.append(heads.after[index](latent))
        return torch.stack(contexts, dim=1).to(query_content.dtype)


decoder = LatentDecoder()


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    return decoder.entries(latent, key_rope, positions)


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    return decoder(query_content, query_rope, cache, lengths, kv_up)
