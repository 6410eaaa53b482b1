from __future__ import annotations

import torch
from torch import Tensor, nn


def scaled_scores(q: Tensor, k: Tensor) -> Tensor:
    return torch.einsum("nqc,nkc->nqk", q, k) * q.shape[-1] ** -0.5


def apply_mask(scores: Tensor, mask: Tensor | None) -> Tensor:
    if mask is None:
        return scores
    return scores.masked_fill(mask.logical_not(), torch.finfo(scores.dtype).min)


def normalise(weights: Tensor) -> Tensor:
    return weights / weights.sum(dim=-1, keepdim=True).clamp_min(1e-9)


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.query = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.key = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.value = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.proj = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        scores = apply_mask(scaled_scores(self.query(x), self.key(x)), attention_mask)
        exps = (scores - scores.amax(dim=-1, keepdim=True)).exp()
        weights = normalise(self.drop(exps))
        return self.proj(weights @ self.value(x))
