# attn-kata: mla
from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


class MultiHeadLatentAttention(nn.Module):
    """Keys and values are never made: W_UK moves to the query, W_UV behind the weighted latents."""

    def __init__(
        self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int
    ) -> None:
        super().__init__()
        self.H, self.D, self.R, self.L = num_heads, head_dim, rope_dim, latent_dim
        self.query = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.kv_down = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.key_rope = nn.Linear(hidden_dim, rope_dim, bias=False)
        self.key_up = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.value_up = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.out = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def _rope(self, t: Tensor, pos: Tensor) -> Tensor:
        """t: (batch, length, heads, rope_dim)."""
        half = self.R // 2
        omega = torch.exp2(
            torch.arange(half, device=t.device, dtype=torch.float32)
            * (-torch.log2(torch.tensor(10000.0, device=t.device)) / half)
        )
        theta = (pos.to(torch.float32)[:, None] * omega)[:, None, :]
        c, s = theta.cos().to(t.dtype), theta.sin().to(t.dtype)
        a, b = t[..., :half], t[..., half:]
        return torch.cat((a * c - b * s, b * c + a * s), dim=-1)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        B, T, _ = x.shape
        past = 0 if cache is None else cache.size(1)
        pos = torch.arange(past, past + T, device=x.device)

        q_c, q_r = self.query(x).view(B, T, self.H, self.D + self.R).split((self.D, self.R), dim=-1)
        q_r = self._rope(q_r, pos)
        fresh = torch.cat((self.kv_down(x), self._rope(self.key_rope(x).unsqueeze(2), pos).squeeze(2)), dim=-1)
        memory = fresh if cache is None else torch.cat((cache, fresh), dim=1)
        c, k_r = memory.split((self.L, self.R), dim=-1)

        w_uk = self.key_up.weight.view(self.H, self.D, self.L)
        w_uv = self.value_up.weight.view(self.H, self.D, self.L)
        q_l = torch.einsum("bthd,hdl->bthl", q_c, w_uk)
        s = torch.einsum("bthl,bsl->bhts", q_l, c) + torch.einsum("bthr,bsr->bhts", q_r, k_r)
        s = s * (self.D + self.R) ** -0.5
        late = torch.arange(past + T, device=x.device) > pos[:, None]
        p = torch.softmax(s.masked_fill(late, float("-inf")), dim=-1)
        o_l = torch.einsum("bhts,bsl->bthl", p, c)
        o = torch.einsum("bthl,hdl->bthd", o_l, w_uv)
        return self.out(o.reshape(B, T, self.H * self.D)), memory
