# attn-kata: sinks
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SinkAttention(nn.Module):
    """The sink only makes the denominator larger: it never becomes a column."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads

        def matrix() -> nn.Parameter:
            return nn.Parameter(torch.randn(hidden_dim, hidden_dim) * hidden_dim**-0.5)

        self.w_query, self.w_key, self.w_value, self.w_output = (matrix() for _ in range(4))
        self.sink_logits = nn.Parameter(torch.randn(num_heads) * 0.02)

    def heads(self, x: Tensor, weight: Tensor) -> Tensor:
        return F.linear(x, weight).unflatten(-1, (self.num_heads, self.head_dim)).movedim(1, 2)

    def forward(self, x: Tensor) -> Tensor:
        length = x.shape[1]
        query = self.heads(x, self.w_query) * self.head_dim**-0.5
        key = self.heads(x, self.w_key)
        value = self.heads(x, self.w_value)

        later = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
        scores = (query @ key.mT).masked_fill(later, -torch.inf)
        sink = self.sink_logits.view(-1, 1, 1)  # heads lie on axis -3

        top = torch.maximum(scores.amax(dim=-1, keepdim=True), sink).detach()
        exps = torch.exp(scores - top)
        weights = exps / (exps.sum(dim=-1, keepdim=True) + torch.exp(sink - top))
        context = (weights @ value).movedim(1, 2).flatten(2)
        return F.linear(context, self.w_output)
