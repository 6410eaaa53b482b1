"""Absorbed form throughout: neither keys nor values of a head are ever written out."""
from typing import Any, NamedTuple, Optional

import torch
from torch import Tensor, nn


class LatentCache(NamedTuple):
    latent: Tensor      # (batch, length, latent_dim)
    rotary_key: Tensor  # (batch, length, rope_dim), rotated already


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int) -> None:
        super().__init__()
        self.num_heads, self.head_dim, self.rope_dim, self.latent_dim = num_heads, head_dim, rope_dim, latent_dim
        self.query_content = nn.Linear(hidden_dim, num_heads * head_dim)
        self.query_rotary = nn.Linear(hidden_dim, num_heads * rope_dim)
        self.kv_down = nn.Linear(hidden_dim, latent_dim)
        self.key_rotary = nn.Linear(hidden_dim, rope_dim)
        self.key_up = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.value_up = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.output = nn.Linear(num_heads * head_dim, hidden_dim)

    def _rotate(self, t: Tensor, positions: Tensor) -> Tensor:
        """t is (batch, heads, length, rope_dim)."""
        half = self.rope_dim // 2
        rates = 10000.0 ** (torch.arange(half, device=t.device, dtype=torch.float64) * (-2.0 / self.rope_dim))
        angles = positions.to(torch.float64).unsqueeze(-1) * rates
        wide = torch.promote_types(t.dtype, torch.float32)
        cos, sin = angles.cos().to(wide), angles.sin().to(wide)
        a, b = t[..., :half].to(wide), t[..., half:].to(wide)
        return torch.cat((a * cos - b * sin, b * cos + a * sin), -1).to(t.dtype)

    def forward(self, x: Tensor, cache: Optional[LatentCache] = None) -> tuple[Tensor, Any]:
        length = x.shape[1]
        seen = 0 if cache is None else cache.latent.shape[1]
        positions = torch.arange(seen, seen + length, device=x.device)

        new = LatentCache(self.kv_down(x), self._rotate(self.key_rotary(x).unsqueeze(1), positions).squeeze(1))
        if cache is None:
            cache = new
        else:
            cache = LatentCache(*(torch.cat(both, dim=1) for both in zip(cache, new)))

        q_c = self.query_content(x).unflatten(-1, (self.num_heads, self.head_dim))
        q_r = self.query_rotary(x).unflatten(-1, (self.num_heads, self.rope_dim)).transpose(1, 2)
        q_r = self._rotate(q_r, positions)

        up_k = self.key_up.weight.view(self.num_heads, self.head_dim, self.latent_dim)
        up_v = self.value_up.weight.view(self.num_heads, self.head_dim, self.latent_dim)
        q_l = torch.einsum("bqhd,hdl->bhql", q_c, up_k)

        scores = q_l @ cache.latent.unsqueeze(1).mT + q_r @ cache.rotary_key.unsqueeze(1).mT
        scores = scores / (self.head_dim + self.rope_dim) ** 0.5
        later = torch.arange(seen + length, device=x.device) > positions.unsqueeze(-1)
        weights = scores.masked_fill(later, float("-inf")).softmax(-1)

        mixed = weights @ cache.latent.unsqueeze(1)
        heads = torch.einsum("bhql,hdl->bqhd", mixed, up_v)
        return self.output(heads.flatten(-2)), cache
