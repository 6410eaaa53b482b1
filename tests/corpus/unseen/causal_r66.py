from __future__ import annotations

from functools import partial
from typing import Callable

import torch
from torch import Tensor, nn

MASKS: dict[str, Callable[[int], Tensor]] = {}


def register(name: str):
    def wrap(fn):
        MASKS[name] = fn
        return fn

    return wrap


@register("none")
def _none(n: int) -> Tensor:
    return torch.zeros(n, n, dtype=torch.bool)


@register("causal")
def _hide_future(n: int) -> Tensor:
    return torch.ones(n, n, dtype=torch.bool).triu(1)


class Tail(nn.Module):
    """Steps of one head; they share `hidden`, the mask of what is not to be seen."""

    def __init__(self, dim: int, head_dim: int) -> None:
        super().__init__()
        make = partial(nn.Linear, dim, head_dim, bias=False)
        self.maps = nn.ModuleDict({role: make() for role in "kqv"})
        self.scale = head_dim**0.5

    def forward(self, x: Tensor, hidden: Tensor) -> Tensor:
        k, q, v = (layer(x) for layer in self.maps.values())
        steps = (
            lambda s: s / self.scale,
            lambda s: s.masked_fill(hidden, float("-inf")),
            lambda s: s.log_softmax(-1).exp(),
            lambda s: s @ v,
        )
        y = q @ k.transpose(-1, -2)
        for step in steps:
            y = step(y)
        return y


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, block_size: int, mask: str = "causal"):
        super().__init__()
        head_dim, rest = divmod(hidden_dim, num_heads)
        assert rest == 0
        self.heads = nn.ModuleList(Tail(hidden_dim, head_dim) for _ in range(num_heads))
        self.post = nn.Sequential(nn.Linear(hidden_dim, hidden_dim), nn.Dropout(0.0))
        self.register_buffer("hidden", MASKS[mask](block_size), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        n = x.shape[-2]
        hidden = self.hidden[:n, :n]
        return self.post(torch.cat([h(x, hidden) for h in self.heads], dim=-1))
