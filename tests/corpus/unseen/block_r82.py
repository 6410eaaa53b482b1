from __future__ import annotations

import functools
from typing import Generic, TypeVar

import torch
import torch.nn.functional as F
from torch import nn

C = TypeVar("C")


def prenorm(norm_name):
    """Feed the branch with the normed stream and add what it gives to the stream."""

    def decorate(branch):
        @functools.wraps(branch)
        def step(self, stream):
            return stream + branch(self, getattr(self, norm_name)(stream))

        return step

    return decorate


class Configured(nn.Module, Generic[C]):
    def __init__(self, config: C) -> None:
        super().__init__()
        self.config = config


class SoftmaxPast(nn.Module):
    """A module of its own so that one can hang a hook on it."""

    def forward(self, scores):
        n = scores.size(-1)
        later = torch.arange(n, device=scores.device) > torch.arange(n, device=scores.device).unsqueeze(1)
        return scores.masked_fill(later, float("-inf")).softmax(-1)


class TransformerBlock(Configured[dict]):
    def __init__(self, hidden_dim, num_heads):
        super().__init__({"width": hidden_dim, "heads": num_heads, "expansion": 4})
        w = self.config["expansion"] * hidden_dim
        self.ln_1, self.ln_2 = (nn.LayerNorm(hidden_dim) for _ in range(2))
        self.q, self.k, self.v, self.o = (nn.Linear(hidden_dim, hidden_dim, bias=False) for _ in range(4))
        self.softmax = SoftmaxPast()
        self.up = nn.Linear(hidden_dim, w)
        self.down = nn.Linear(w, hidden_dim)
        self.max_weight = None

    def watch(self):
        """Debugging aid: remember the largest weight of the last call."""
        return self.softmax.register_forward_hook(
            lambda _module, _inputs, weights: setattr(self, "max_weight", weights.max().item())
        )

    @prenorm("ln_1")
    def attend(self, h):
        q, k, v = (p(h).unflatten(2, (self.config["heads"], -1)) for p in (self.q, self.k, self.v))
        weights = self.softmax(torch.einsum("bqhd,bkhd->bhqk", q, k) / q.size(-1) ** 0.5)
        return self.o(torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(2))

    @prenorm("ln_2")
    def think(self, h):
        return self.down(F.gelu(self.up(h)))

    def forward(self, x):
        return self.think(self.attend(x))
