from __future__ import annotations

import torch
from torch import Tensor, nn


def rotary(t: Tensor, positions: Tensor) -> Tensor:
    n = t.size(-1) // 2
    i = torch.arange(n, device=t.device, dtype=torch.float64)
    theta = positions.to(torch.float64).unsqueeze(-1) * torch.pow(10000.0, -i / n)
    c, s = theta.cos().to(t.dtype), theta.sin().to(t.dtype)
    u, w = t[..., :n], t[..., n:]
    return torch.cat([u * c - w * s, w * c + u * s], -1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.h, self.d, self.r = num_heads, head_dim, rope_dim
        self.down = nn.Linear(hidden_dim, latent_dim)
        self.rope_key = nn.Linear(hidden_dim, rope_dim)
        self.content_query = nn.Linear(hidden_dim, num_heads * head_dim)
        self.rope_query = nn.Linear(hidden_dim, num_heads * rope_dim)
        self.up_key = nn.Linear(latent_dim, num_heads * head_dim)
        self.up_value = nn.Linear(latent_dim, num_heads * head_dim)
        self.out = nn.Linear(num_heads * head_dim, hidden_dim)

    def split(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.h, -1)).transpose(1, 2)

    def forward(self, x: Tensor, cache: dict | None = None) -> tuple[Tensor, dict]:
        c, kr = self.down(x), self.rope_key(x)
        if cache is not None:
            c = torch.cat([cache["c"], c], dim=1)
            kr = torch.cat([cache["kr"], kr], dim=1)
        places = torch.arange(c.size(1), device=x.device)
        here = places[-x.size(1) :]

        kr_rotated = rotary(kr, places)
        qr = rotary(self.split(self.rope_query(x)), here)
        qc, kc, v = self.split(self.content_query(x)), self.split(self.up_key(c)), self.split(self.up_value(c))
        s = (qc @ kc.mT + qr @ kr_rotated.unsqueeze(1).mT) * (self.d + self.r) ** -0.5
        s = s.masked_fill(places > here[:, None], -torch.inf)
        y = (s.softmax(-1) @ v).transpose(1, 2).flatten(2)
        return self.out(y), {"c": c, "kr": kr_rotated}
