from __future__ import annotations

import torch
from torch import Tensor, nn


class MaskMixin:
    """Turns 'may attend' masks of any dtype into booleans that say what is blocked."""

    @staticmethod
    def blocked(mask: Tensor | None, like: Tensor) -> Tensor:
        if mask is None:
            return torch.zeros(like.shape, dtype=torch.bool, device=like.device)
        assert mask.shape == like.shape, f"mask {tuple(mask.shape)} vs scores {tuple(like.shape)}"
        return torch.eq(mask.to(like.device), 0)


class SelfAttentionV3(MaskMixin, nn.Module):
    NAMES = ("query", "key", "value", "output")

    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        if not 0.0 <= dropout <= 1.0:
            raise ValueError(f"dropout should be a probability, got {dropout}")
        self.transforms = nn.ModuleDict({n: nn.Linear(hidden_dim, hidden_dim, bias=(n != "key")) for n in self.NAMES})
        self.weight_dropout = nn.Dropout(p=dropout, inplace=False)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        query = self.transforms["query"](x)
        key = self.transforms["key"](x)
        scale = query.shape[-1] ** -0.5
        scores = torch.matmul(query, key.transpose(-2, -1)).mul(scale)
        hidden = self.blocked(attention_mask, scores)
        scores = scores.masked_fill(hidden, float("-inf"))
        # rows without any key: use zeros instead of nan
        empty = hidden.all(dim=-1, keepdim=True)
        scores = scores.masked_fill(empty, 0.0)
        probabilities = scores.softmax(dim=-1).masked_fill(empty, 0.0)
        probabilities = self.weight_dropout(probabilities)
        context = torch.matmul(probabilities, self.transforms["value"](x))
        return self.transforms["output"](context)
