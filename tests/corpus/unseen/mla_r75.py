from __future__ import annotations

import typing as t

import torch
from torch import nn


class Trunk(t.NamedTuple):
    latents: list[torch.Tensor]     # chunks as they came, never joined here
    rotary: list[torch.Tensor]

    @classmethod
    def empty(cls) -> Trunk:
        return cls([], [])

    def grown(self, c: torch.Tensor, r: torch.Tensor) -> Trunk:
        return Trunk([*self.latents, c], [*self.rotary, r])

    def __len__(self) -> int:       # positions
        return sum(c.size(1) for c in self.latents)


class Rotary(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width

    def forward(self, x: torch.Tensor, offset: int) -> torch.Tensor:
        even = torch.arange(0, self.width, 2, device=x.device).float()
        pos = torch.arange(offset, offset + x.size(-2), device=x.device).float()
        phase = torch.polar(torch.ones((), device=x.device), torch.outer(pos, 10000 ** (-even / self.width)))
        if x.dtype == torch.float64:
            phase = phase.to(torch.complex128)
        z = torch.complex(*(p.to(phase.real.dtype).contiguous() for p in x.chunk(2, -1))) * phase
        return torch.cat((z.real, z.imag), -1).to(x.dtype)


class LatentHead(nn.Module):
    def __init__(self, hidden: int, d: int, r: int, latent: int, rotary: Rotary) -> None:
        super().__init__()
        self.ask_what = nn.Linear(hidden, d)
        self.ask_where = nn.Linear(hidden, r)
        self.key_up = nn.Linear(latent, d)
        self.value_up = nn.Linear(latent, d)
        self.rotary, self.scale = rotary, (d + r) ** -0.5

    def forward(self, x, c, k_rope, offset):
        what = self.ask_what(x) @ self.key_up(c).mT
        where = self.rotary(self.ask_where(x), offset) @ k_rope.mT
        s = self.scale * (what + where)
        rows, cols = s.shape[-2:]
        seen = torch.ones(rows, cols, dtype=torch.bool, device=s.device).tril(cols - rows)
        return s.masked_fill(~seen, -torch.inf).softmax(-1) @ self.value_up(c)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int) -> None:
        super().__init__()
        self.rotary = Rotary(rope_dim)
        self.down = nn.Sequential()
        self.down.add_module("kv", nn.Linear(hidden_dim, latent_dim))
        self.where = nn.Linear(hidden_dim, rope_dim)
        for i in range(num_heads):
            setattr(self, f"h{i}", LatentHead(hidden_dim, head_dim, rope_dim, latent_dim, self.rotary))
        self.merge = nn.Linear(num_heads * head_dim, hidden_dim)

    def forward(self, x: torch.Tensor, cache: Trunk | None = None) -> tuple[torch.Tensor, Trunk]:
        before = cache if cache is not None else Trunk.empty()
        offset = len(before)
        after = before.grown(self.down(x), self.rotary(self.where(x), offset))
        c, k_rope = torch.cat(after.latents, 1), torch.cat(after.rotary, 1)
        heads = (m for name, m in self.named_children() if name.startswith("h"))
        return self.merge(torch.cat([h(x, c, k_rope, offset) for h in heads], -1)), after
