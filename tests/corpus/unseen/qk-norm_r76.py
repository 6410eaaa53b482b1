from __future__ import annotations

from abc import abstractmethod
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Registry(type):
    """Collects the normed roles, so that a new one needs no other change."""

    roles: dict[str, type] = {}

    def __new__(mcs, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> type:
        made = super().__new__(mcs, name, bases, space)
        if (role := space.get("role")) is not None:
            mcs.roles[role] = made
        return made


class Role(nn.Module, metaclass=Registry):
    role: str | None = None

    def __init__(self, wide: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.w = nn.Parameter(torch.empty(heads, wide // heads, wide))
        nn.init.kaiming_uniform_(self.w, a=5**0.5)
        self.extra(wide // heads)

    def extra(self, d: int) -> None: ...

    @abstractmethod
    def finish(self, u: Tensor) -> Tensor: ...

    def forward(self, x: Tensor) -> Tensor:
        return self.finish(torch.einsum("btc,hdc->bhtd", x, self.w))


class Normed(Role):
    def extra(self, d: int) -> None:
        self.gain = nn.Parameter(torch.ones(d))

    def finish(self, u: Tensor) -> Tensor:
        # unit length with eps: u / sqrt(|u|^2 + d eps), and back to length sqrt(d)
        d = u.shape[-1]
        one = u.new_full((*u.shape[:-1], 1), (d * 1e-6) ** 0.5)
        return (F.normalize(torch.cat([u, one], -1), dim=-1, eps=0)[..., :d] * d**0.5) * self.gain


class Query(Normed):
    role = "q"


class Key(Normed):
    role = "k"


class Value(Role):
    role = "v"

    def finish(self, u: Tensor) -> Tensor:
        return u


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.parts = nn.ModuleDict({r: c(hidden_dim, num_heads) for r, c in Registry.roles.items()})
        self.w_o = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        p = {r: part(x) for r, part in self.parts.items()}
        s = p["q"] @ p["k"].mT / p["q"].shape[-1] ** 0.5
        blocked = torch.ones(s.shape[-2:], device=s.device).triu(1).bool()
        s.masked_fill_(blocked, torch.finfo(s.dtype).min)
        return self.w_o((F.softmax(s, -1) @ p["v"]).movedim(1, 2).flatten(-2))
