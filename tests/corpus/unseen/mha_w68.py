from __future__ import annotations

import math

import torch
from torch import Tensor, nn


def softmax_mut(scores: Tensor) -> Tensor:
    """Row-wise softmax; one buffer for numerators and result."""
    peak = scores.detach().amax(dim=-1, keepdim=True)
    buf = torch.exp(scores - peak)
    buf /= buf.sum(dim=-1, keepdim=True)
    return buf


class MultiHeadAttention(nn.Module):
    w_in: nn.ParameterList
    w_out: nn.Parameter

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0, (hidden_dim, num_heads)
        self.h, self.d = num_heads, hidden_dim // num_heads
        self.p = dropout
        bound = 1.0 / math.sqrt(hidden_dim)

        def matrix() -> nn.Parameter:
            return nn.Parameter(torch.empty(hidden_dim, hidden_dim).uniform_(-bound, bound))

        self.w_in = nn.ParameterList([matrix() for _ in range(3)])
        self.w_out = matrix()

    def _heads(self, t: Tensor) -> Tensor:
        b, n, _ = t.shape
        return t.reshape(b, n, self.h, self.d).transpose(1, 2)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = (self._heads(x @ w) for w in self.w_in)
        scores = q.mul(1.0 / math.sqrt(self.d)).matmul(k.mT)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask.logical_not(), -torch.inf)
        a = softmax_mut(scores)
        a = nn.functional.dropout(a, self.p, self.training)
        y = a.matmul(v).transpose(1, 2).flatten(-2)
        return y @ self.w_out
