from __future__ import annotations

import torch
from torch import Tensor


class Rope:
    @staticmethod
    def angles(positions: Tensor, rope_dim: int) -> Tensor:
        exponents = torch.arange(0, rope_dim, 2, dtype=torch.float64, device=positions.device) / rope_dim
        return positions.double().unsqueeze(-1) / 10000.0**exponents

    @classmethod
    def rotate(cls, t: Tensor, positions: Tensor) -> Tensor:
        z = torch.complex(*(p.double().contiguous() for p in t.tensor_split(2, dim=-1)))
        angle = cls.angles(positions, t.size(-1))
        z = z * torch.polar(torch.ones_like(angle), angle)
        return torch.cat([z.real, z.imag], dim=-1)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    return torch.cat([latent, Rope.rotate(key_rope, positions).to(latent.dtype)], dim=-1)


def _mqa(q: Tensor, kv: Tensor, first: int, value_width: int) -> Tensor:
    """q (heads * new, width) against one shared head kv (length, width)."""
    scores = q @ kv.T * q.size(-1) ** -0.5
    scores = scores.view(-1, kv.size(0) - first, kv.size(0))
    mask = torch.ones(scores.shape[1:], dtype=torch.bool, device=q.device).tril(first)
    probs = scores.masked_fill(~mask, -torch.inf).softmax(-1)
    return probs @ kv[:, :value_width]


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    batch, heads, new, d = query_content.shape
    rank = kv_up.size(1)
    up = kv_up.double().view(heads, 2, d, rank)
    outs = []
    for b in range(batch):
        n = int(lengths[b])
        positions = torch.arange(n - new, n, device=cache.device)
        latent_query = query_content[b].double() @ up[:, 0]
        q = torch.cat([latent_query, Rope.rotate(query_rope[b], positions)], dim=-1)
        mixed = _mqa(q.flatten(0, 1), cache[b, :n].double(), n - new, rank)
        outs.append(mixed @ up[:, 1].mT)
    return torch.stack(outs).to(query_content.dtype)
