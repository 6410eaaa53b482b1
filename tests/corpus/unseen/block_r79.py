from __future__ import annotations

from collections.abc import Callable
from functools import wraps

import torch
import torch.nn as nn
from torch import Tensor


def residual(layer: Callable[..., nn.Module]):
    """Class decorator: f becomes x + f(norm(x))."""

    def make(hidden_dim: int, *args, **kwargs) -> nn.Module:
        inner = layer(hidden_dim, *args, **kwargs)
        inner.add_module("norm", nn.GroupNorm(1, hidden_dim))
        inner.register_forward_pre_hook(lambda mod, inp: (normed(mod.norm, inp[0]),))
        return Skip(inner)

    return wraps(layer, updated=())(make)


def normed(norm: nn.GroupNorm, x: Tensor) -> Tensor:
    # one group over channels, positions in the batch axis: a LayerNorm over the last axis
    return norm(x.reshape(-1, x.shape[-1])).view(x.shape)


class Skip(nn.Module):
    def __init__(self, branch: nn.Module) -> None:
        super().__init__()
        self.branch = branch

    def forward(self, x: Tensor) -> Tensor:
        return torch.add(x, self.branch(x))


@residual
class Attend(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.n = num_heads
        self.qkv, self.proj = nn.Linear(hidden_dim, 3 * hidden_dim), nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        # columns of qkv: for each head its query, key and value
        q, k, v = self.qkv(x).unflatten(2, (self.n, 3, -1)).permute(3, 0, 2, 1, 4)
        s = (q @ k.mT) * q.shape[-1] ** -0.5
        i = torch.arange(x.shape[1], device=x.device)
        s = s.masked_fill(i.view(-1, 1) < i, torch.finfo(s.dtype).min)
        return self.proj((s.softmax(-1) @ v).transpose(1, 2).flatten(2))


@residual
class Think(nn.Module):
    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(hidden_dim, 4 * hidden_dim), nn.GELU(), nn.Linear(4 * hidden_dim, hidden_dim))

    def forward(self, x: Tensor) -> Tensor:
        return self.net(x)


class TransformerBlock(nn.Sequential):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        assert hidden_dim % num_heads == 0
        super().__init__(Attend(hidden_dim, num_heads), Think(hidden_dim))
