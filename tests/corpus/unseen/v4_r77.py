from __future__ import annotations

import functools
import math
from types import SimpleNamespace

import torch
from torch import Tensor, nn


def attend(scores: Tensor, values: Tensor, drop: nn.Module) -> Tensor:
    """scores (B, T, T), values (B, T, C)"""
    return torch.einsum("bts,bsc->btc", drop(torch.softmax(scores, -1)), values)


def run(self: SelfAttentionV4, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
    # I have one head; with several I would split the last axis here.
    p = SimpleNamespace(**{name: layer(x) for name, layer in self.proj.items()})
    scores = p.q @ p.k.mT
    scores = scores / math.sqrt(x.size(-1))
    if attention_mask is not None:  # 1 = may attend
        keep = attention_mask.to(dtype=torch.bool)
        floor = torch.finfo(scores.dtype).min
        scores = scores.where(keep, torch.as_tensor(floor, dtype=scores.dtype, device=x.device))
    return self.out(attend(scores, p.v, self.drop))


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.proj = nn.ModuleDict({c: nn.Linear(hidden_dim, hidden_dim, bias=c != "k") for c in "qkv"})
        self.out = nn.Identity()  # no output projection: it is optional
        self.drop = nn.Dropout(dropout)

    @property
    def forward(self):
        return functools.partial(run, self)
