from __future__ import annotations

import torch
from torch import Tensor, nn


class MaskedScores(nn.Module):
    """Products over the root of the width; -inf where the mask has 0."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width

    def extra_repr(self) -> str:
        return f"width={self.width}"

    def forward(self, query: Tensor, key: Tensor, mask: Tensor | None) -> Tensor:
        scores = torch.einsum("bqc,bkc->bqk", query, key) / self.width**0.5
        if mask is None:
            return scores
        hidden = mask.to(device=scores.device, dtype=torch.bool).logical_not()
        return scores.clone().masked_fill_(hidden, float("-inf"))


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.project = nn.ModuleDict({n: nn.Linear(hidden_dim, hidden_dim) for n in ("q", "k", "v", "o")})
        self.score = MaskedScores(hidden_dim)
        self.weigh = nn.Sequential(nn.Softmax(dim=-1), nn.Dropout(p=dropout))

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = (self.project[name](x) for name in "qkv")
        return self.project["o"](self.weigh(self.score(q, k, attention_mask)) @ v)
