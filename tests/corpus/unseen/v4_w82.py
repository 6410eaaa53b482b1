from __future__ import annotations

from math import sqrt

import torch
from torch import Tensor, nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.sqrt_d = sqrt(hidden_dim)
        self.Wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wo = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def attention_weights(self, x: Tensor, mask: Tensor | None) -> Tensor:
        # no graph for the quadratic part outside of training
        with torch.set_grad_enabled(self.training and torch.is_grad_enabled()):
            scores = torch.einsum("bid,bjd->bij", self.Wq(x), self.Wk(x)) / self.sqrt_d
            if mask is not None:
                scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
            return torch.softmax(scores, dim=-1)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        weights = self.drop(self.attention_weights(x, attention_mask))
        context = torch.einsum("bij,bjd->bid", weights, self.Wv(x))
        return self.Wo(context)
