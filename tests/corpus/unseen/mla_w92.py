from __future__ import annotations

import torch
from torch import Tensor, nn


def rope_half_split(x: Tensor, positions: Tensor) -> Tensor:
    width = x.shape[-1]
    steps = torch.arange(0, width, 2, dtype=torch.float64, device=x.device)
    angle = positions.to(torch.float64).unsqueeze(-1) / 10000 ** (steps / width)
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int
    ) -> None:
        super().__init__()
        self.h, self.d, self.r = num_heads, head_dim, rope_dim
        self.query = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim))
        self.down = nn.Linear(hidden_dim, latent_dim)
        self.key_rope = nn.Linear(hidden_dim, rope_dim)
        self.up = nn.Linear(latent_dim, 2 * num_heads * head_dim)
        self.output = nn.Linear(num_heads * head_dim, hidden_dim)

    def forward(self, x: Tensor, cache=None):
        b, n, _ = x.shape
        latent, rotary = self.down(x), self.key_rope(x)
        if cache is not None:
            latent = torch.cat([cache["latent"], latent], dim=1)
            rotary = torch.cat([cache["rotary"], rotary], dim=1)
        total = latent.shape[1]
        positions = torch.arange(total, device=x.device)
        rotary = rope_half_split(rotary, positions)

        q = self.query(x).view(b, n, self.h, self.d + self.r).transpose(1, 2)
        content, turn = q.split([self.d, self.r], dim=-1)
        turn = rope_half_split(turn, positions[total - n :])
        keys, values = self.up(latent).view(b, total, 2, self.h, self.d).permute(2, 0, 3, 1, 4)

        scores = content @ keys.mT + torch.einsum("bhir,bjr->bhij", turn, rotary)
        scores = scores / (self.d + self.r) ** 0.5
        hidden = positions[None, :] > positions[total - n :, None]
        weights = scores.masked_fill(hidden, torch.finfo(scores.dtype).min).softmax(dim=-1)
        context = (weights @ values).transpose(1, 2).flatten(2)
        return self.output(context), {"latent": latent, "rotary": rotary}
