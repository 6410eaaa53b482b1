from __future__ import annotations

import torch
from torch import Tensor, nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        # key, query and value at once
        self.inputs = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)
        self.rate = dropout

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        key, query, value = self.inputs(x).unflatten(-1, (3, -1)).unbind(-2)
        scores = torch.einsum("bqd,bkd->bqk", query * query.shape[-1] ** -0.5, key)
        if attention_mask is not None:
            lowest = torch.finfo(scores.dtype).min
            scores = torch.where(attention_mask.to(torch.bool), scores, lowest)
        weights = torch.softmax(scores, dim=-1)
        if self.training and self.rate > 0:
            stays = torch.rand_like(weights, dtype=torch.float32) >= self.rate
            # what stays is made larger, so that the mean is kept
            weights = weights * stays * (1 / (1 - self.rate) if self.rate < 1 else 0.0)
        return self.output(torch.einsum("bqk,bkd->bqd", weights, value))
