from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Latents:
    content: Tensor     # (batch, n, latent_dim)
    rotary: Tensor      # (batch, n, rope_dim), before it is rotated

    def __add__(self, newer: Latents) -> Latents:
        return Latents(torch.cat([self.content, newer.content], 1), torch.cat([self.rotary, newer.rotary], 1))

    def __len__(self) -> int:
        return self.content.size(1)


class Rope:
    @staticmethod
    def __call__(x: Tensor, start: int) -> Tensor:
        n, width = x.shape[-2:]
        rates = 10000.0 ** -(torch.arange(0, width, 2, device=x.device, dtype=torch.float64) / width)
        angles = torch.arange(start, start + n, device=x.device, dtype=torch.float64).outer(rates)
        cos, sin = angles.cos().repeat(1, 2), angles.sin().repeat(1, 2)
        flipped = torch.cat([-x[..., width // 2 :], x[..., : width // 2]], -1)
        return (x * cos + flipped * sin).to(x.dtype)


class MultiHeadLatentAttention(nn.Module):
    """Absorbed: queries go to the latents, heads attend to one shared 'key' that is the value too."""

    def __init__(self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int) -> None:
        super().__init__()
        s = hidden_dim**-0.5
        self.query_content = nn.Parameter(torch.randn(num_heads, hidden_dim, head_dim) * s)
        self.query_rotary = nn.Parameter(torch.randn(num_heads, hidden_dim, rope_dim) * s)
        self.down = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.rotary = nn.Linear(hidden_dim, rope_dim, bias=False)
        self.key_up = nn.Parameter(torch.randn(num_heads, head_dim, latent_dim) * latent_dim**-0.5)
        self.value_up = nn.Parameter(torch.randn(num_heads, latent_dim, head_dim) * latent_dim**-0.5)
        self.join = nn.Linear(num_heads * head_dim, hidden_dim)
        self.rope = Rope()
        self.root = (head_dim + rope_dim) ** 0.5

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Latents]:
        start = 0 if cache is None else len(cache)
        fresh = Latents(self.down(x), self.rotary(x))
        held = fresh if cache is None else cache + fresh

        q_c = torch.einsum("btc,hcd,hdl->bhtl", x, self.query_content, self.key_up)
        q_r = self.rope(torch.einsum("btc,hcr->bhtr", x, self.query_rotary), start)
        k_r = self.rope(held.rotary, 0)
        scores = torch.einsum("bhtl,bnl->bhtn", q_c, held.content) + torch.einsum("bhtr,bnr->bhtn", q_r, k_r)
        place = torch.arange(len(held), device=x.device)
        scores = (scores / self.root).masked_fill(place[start:, None] < place, torch.finfo(scores.dtype).min)
        mixed = torch.einsum("bhtn,bnl->bhtl", scores.softmax(-1), held.content)
        heads = torch.einsum("bhtl,hld->bthd", mixed, self.value_up)
        return self.join(heads.flatten(2)), held
