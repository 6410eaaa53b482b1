from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu


@dataclass(frozen=True, kw_only=True)
class Plan:
    vocab_size: int
    block_size: int
    hidden_dim: int
    num_heads: int
    num_layers: int
    num_classes: int
    mlp_dim: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "mlp_dim", 4 * self.hidden_dim)


class Padded(NamedTuple):
    """Everything that follows from a padding mask, made once."""

    share: Tensor  # (batch, length): 1/count where real, 0 where not
    place: Tensor  # (batch, length)
    blind: Tensor  # (batch, 1, length, length)

    @classmethod
    def of(cls, mask: Tensor) -> Padded:
        real = mask != 0
        nth = real.cumsum(dim=1)
        step = torch.arange(real.shape[1], device=mask.device)
        blind = (step > step[:, None]) | ~real[:, None, :]
        share = real.double() / nth[:, -1:]
        return cls(share, (nth - 1).clamp(min=0), blind.unsqueeze(1))


class Layer(nn.Module):
    def __init__(self, plan: Plan) -> None:
        super().__init__()
        self.heads = plan.num_heads
        self.norms = nn.ModuleList([nn.LayerNorm(plan.hidden_dim), nn.LayerNorm(plan.hidden_dim)])
        self.kvq = nn.Linear(plan.hidden_dim, 3 * plan.hidden_dim)  # keys, values, then queries
        self.mix = nn.Linear(plan.hidden_dim, plan.hidden_dim, bias=False)
        self.wide, self.slim = nn.Linear(plan.hidden_dim, plan.mlp_dim), nn.Linear(plan.mlp_dim, plan.hidden_dim)

    def attend(self, x: Tensor, blind: Tensor) -> Tensor:
        k, v, q = self.kvq(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        logits = q @ k.mT * q.shape[-1] ** -0.5
        w = logits.where(~blind, torch.finfo(logits.dtype).min).softmax(-1)
        return self.mix((w @ v).transpose(1, 2).flatten(2))

    def changes(self, x: Tensor, blind: Tensor) -> Iterator[Tensor]:
        first, second = self.norms
        yield (change := self.attend(first(x), blind))
        yield self.slim(gelu(self.wide(second(x + change))))

    def forward(self, x: Tensor, blind: Tensor) -> Tensor:
        return sum(self.changes(x, blind), start=x)


class GPTClassifier(nn.Module):
    def __init__(self, *sizes: int, **named: int) -> None:
        super().__init__()
        names = ("vocab_size", "block_size", "hidden_dim", "num_heads", "num_layers", "num_classes")
        plan = Plan(**dict(zip(names, sizes)), **named)
        self.words = nn.Embedding(plan.vocab_size, plan.hidden_dim)
        self.places = nn.Embedding(plan.block_size, plan.hidden_dim)
        self.layers = nn.ModuleList(Layer(plan) for _ in range(plan.num_layers))
        self.norm = nn.LayerNorm(plan.hidden_dim)
        self.head = nn.Linear(plan.hidden_dim, plan.num_classes)

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        padded = Padded.of(mask)
        x = self.words(tokens) + self.places(padded.place)
        for layer in self.layers:
            x = layer(x, padded.blind)
        x = self.norm(x)
        # a mean is one row times the vectors
        return self.head(torch.einsum("bl,bld->bd", padded.share.to(x.dtype), x))
