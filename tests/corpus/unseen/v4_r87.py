from __future__ import annotations

import torch
from torch import Tensor, nn


class ScoresMixin:
    """What can be said about scores without knowing where they come from."""

    @staticmethod
    def hide(scores: Tensor, mask: Tensor | None) -> Tensor:
        if mask is None or bool((mask != 0).all()):
            return scores                                      # nothing to hide
        offsets = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device)
        offsets[mask == 0] = -torch.inf
        # rows of -inf alone: softmax of them is NaN, so let them see everything
        offsets = offsets.masked_fill((mask == 0).all(-1, keepdim=True), 0)
        return scores + offsets

    @staticmethod
    def normalise(scores: Tensor) -> Tensor:
        return torch.log_softmax(scores, dim=-1).exp()


class ProjectionsMixin:
    def make_projections(self, width: int) -> None:
        for name in "qkv":
            self.register_module(name, nn.Linear(width, width, bias=name != "k"))

    def projected(self, x: Tensor):
        yield from (getattr(self, name)(x) for name in "qkv")


class SelfAttentionV4(ScoresMixin, ProjectionsMixin, nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        nn.Module.__init__(self)
        self.make_projections(hidden_dim)
        self.regulariser = nn.Dropout(dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        query, key, value = self.projected(x)               # each (batch, length, width)
        scores = query.matmul(key.adjoint()) / x.size(-1) ** 0.5
        weights = self.regulariser(self.normalise(self.hide(scores, attention_mask)))
        return weights.matmul(value)
