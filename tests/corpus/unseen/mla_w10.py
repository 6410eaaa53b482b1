# attn-kata: mla
from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


class MultiHeadLatentAttention(nn.Module):
    """Absorbed form: keys and values are never made, attention runs on the latent."""

    def __init__(
        self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int
    ) -> None:
        super().__init__()
        self.num_heads, self.head_dim = num_heads, head_dim
        self.rope_dim, self.latent_dim = rope_dim, latent_dim
        self.q_proj = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.kv_a_proj = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=False)
        self.k_up = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.v_up = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def _rotate(self, x: Tensor, positions: Tensor) -> Tensor:
        half = self.rope_dim // 2
        inv = 10000.0 ** (-torch.arange(half, device=x.device).float() / half)
        angles = torch.outer(positions.float(), inv)
        c, s = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        x1, x2 = x[..., :half], x[..., half:]
        return torch.cat([x1 * c - x2 * s, x2 * c + x1 * s], dim=-1)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        past = 0 if cache is None else cache.shape[1]
        new = x.shape[1]
        positions = torch.arange(past, past + new, device=x.device)

        latent, k_rope = self.kv_a_proj(x).split([self.latent_dim, self.rope_dim], dim=-1)
        entry = torch.cat([latent, self._rotate(k_rope, positions)], dim=-1)
        keys = entry if cache is None else torch.cat([cache, entry], dim=1)     # (b, s, latent + rope)

        q = self.q_proj(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        q_content, q_rope = q.split([self.head_dim, self.rope_dim], dim=-1)
        k_up = self.k_up.weight.view(self.num_heads, self.head_dim, self.latent_dim)
        v_up = self.v_up.weight.view(self.num_heads, self.head_dim, self.latent_dim)
        q_latent = torch.einsum("bhtd,hdl->bhtl", q_content, k_up)
        query = torch.cat([q_latent, self._rotate(q_rope, positions)], dim=-1)

        scores = torch.einsum("bhtc,bsc->bhts", query, keys) * query.shape[-1] ** -0.5
        visible = torch.arange(past + new, device=x.device) <= positions[:, None]
        weights = scores.masked_fill(~visible, float("-inf")).softmax(dim=-1)
        read = torch.einsum("bhts,bsl->bhtl", weights, keys[..., : self.latent_dim])
        context = torch.einsum("bhtl,hdl->bthd", read, v_up)
        return self.o_proj(context.flatten(2)), keys
