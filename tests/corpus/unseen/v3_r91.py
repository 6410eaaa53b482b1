from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SelfAttentionV3(nn.Module):
    """Weights live in a ParameterList: query, key, value, output."""

    QUERY, KEY, VALUE, OUT = range(4)

    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.rate = dropout
        self.kernels = nn.ParameterList(
            nn.Parameter(torch.randn(hidden_dim, hidden_dim) / hidden_dim**0.5) for _ in range(4)
        )
        self.bias = nn.Parameter(torch.zeros(hidden_dim))

    @staticmethod
    def _log_probabilities(scores: Tensor) -> Tensor:
        return scores - torch.logsumexp(scores, dim=-1, keepdim=True)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q = F.linear(x, self.kernels[self.QUERY])
        k = F.linear(x, self.kernels[self.KEY])
        v = F.linear(x, self.kernels[self.VALUE])
        scores = torch.bmm(q / x.size(-1) ** 0.5, k.transpose(1, 2))
        if attention_mask is not None:
            lowest = torch.finfo(scores.dtype).min
            scores = torch.where(attention_mask.to(torch.bool), scores, lowest)
        weights = self._log_probabilities(scores).exp()
        weights = F.dropout(weights, p=self.rate, training=self.training)
        return F.linear(torch.bmm(weights, v), self.kernels[self.OUT], self.bias)
