# wrong: mla rope-low-precision line 18
# fair: rope-low-precision 18 19
from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn


class Latents(NamedTuple):
    c: Tensor  # (b, s, latent)
    k_rope: Tensor  # (b, s, rope), rotated


def _angles(x: Tensor, rope_dim: int, offset: int) -> tuple[Tensor, Tensor]:
    inv_freq = 10000.0 ** -(torch.arange(0, rope_dim, 2, device=x.device).double() / rope_dim)
    place = x.new_ones(x.shape[1]).cumsum(0) + (offset - 1)
    theta = torch.outer(place.double(), inv_freq)
    return theta.cos(), theta.sin()


def _rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    a, b = x.double().chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1).to(x.dtype)


class MultiHeadLatentAttention(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int
    ) -> None:
        super().__init__()
        self.h, self.d, self.r, self.l = num_heads, head_dim, rope_dim, latent_dim
        lin = lambda i, o: nn.Linear(i, o, bias=False)  # noqa: E731
        self.q_nope = lin(hidden_dim, num_heads * head_dim)
        self.q_rope = lin(hidden_dim, num_heads * rope_dim)
        self.kv_down = lin(hidden_dim, latent_dim)
        self.k_rope = lin(hidden_dim, rope_dim)
        self.k_up = lin(latent_dim, num_heads * head_dim)
        self.v_up = lin(latent_dim, num_heads * head_dim)
        self.o = lin(num_heads * head_dim, hidden_dim)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        t0 = 0 if cache is None else cache.c.shape[1]
        cos, sin = _angles(x, self.r, t0)

        new = Latents(self.kv_down(x), _rotate(self.k_rope(x), cos, sin))
        kv = new if cache is None else Latents(*(torch.cat(p, 1) for p in zip(cache, new)))

        heads = lambda t: t.unflatten(-1, (self.h, -1))  # noqa: E731
        qc = heads(self.q_nope(x))
        qr = _rotate(heads(self.q_rope(x)), cos[:, None], sin[:, None])
        k, v = heads(self.k_up(kv.c)), heads(self.v_up(kv.c))

        z = torch.einsum("bthd,bshd->bhts", qc, k) + torch.einsum("bthr,bsr->bhts", qr, kv.k_rope)
        z = z * (self.d + self.r) ** -0.5
        seen = torch.ones(z.shape[-2:], dtype=torch.bool, device=x.device).tril(t0)
        p = torch.where(seen, z, -torch.inf).softmax(-1)
        y = torch.einsum("bhts,bshd->bthd", p, v)
        return self.o(y.flatten(-2)), kv
