from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


class Rotary(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, t: Tensor, at: Tensor) -> Tensor:
        i = torch.arange(self.dim // 2, device=t.device, dtype=torch.float64)
        theta = at.double().unsqueeze(-1) * torch.pow(10000.0, -2 * i / self.dim)
        unit = torch.polar(torch.ones_like(theta), theta)
        z = torch.complex(*t.double().chunk(2, dim=-1)) * unit
        return torch.cat([z.real, z.imag], dim=-1).to(t.dtype)


class MultiHeadLatentAttention(nn.Module):
    """Absorbed: heads attend to the latents; no key and no value is ever made."""

    def __init__(
        self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int
    ) -> None:
        super().__init__()
        self.h, self.d, self.r, self.l = num_heads, head_dim, rope_dim, latent_dim
        self.q_content = nn.Linear(hidden_dim, num_heads * head_dim, bias=False)
        self.q_rotary = nn.Linear(hidden_dim, num_heads * rope_dim, bias=False)
        self.down = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.k_rotary = nn.Linear(hidden_dim, rope_dim, bias=False)
        self.key_up = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.value_up = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.merge = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)
        self.rotary = Rotary(rope_dim)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        old = [] if cache is None else [cache]
        start = sum(part.shape[1] for part in old)
        at = torch.arange(start, start + x.shape[1], device=x.device)
        new = torch.cat([self.down(x), self.rotary(self.k_rotary(x), at)], dim=-1)
        cache = torch.cat([*old, new], dim=1)

        content = self.q_content(x).unflatten(-1, (self.h, self.d)).movedim(2, 1)
        rotary = self.rotary(self.q_rotary(x).unflatten(-1, (self.h, self.r)).movedim(2, 1), at)
        up_k = self.key_up.weight.unflatten(0, (self.h, self.d))
        up_v = self.value_up.weight.unflatten(0, (self.h, self.d))
        wide = torch.cat([content @ up_k, rotary], dim=-1) / (self.d + self.r) ** 0.5
        scores = torch.einsum("bhie,bje->bhij", wide, cache)
        late = torch.arange(cache.shape[1], device=x.device) > at[:, None]
        weights = scores.masked_fill(late, float("-inf")).softmax(-1)
        read = torch.einsum("bhij,bjl->bhil", weights, cache[..., : self.l])
        return self.merge((read @ up_v.mT).movedim(1, 2).flatten(2)), cache
