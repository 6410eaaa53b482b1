from __future__ import annotations

import torch
from torch import Tensor, nn


class SinkSoftmax(nn.Module):
    """Softmax over the last axis, with one more logit for each head that is given nothing."""

    def __init__(self, num_heads: int) -> None:
        super().__init__()
        self.logit = nn.Parameter(torch.zeros(num_heads))

    def forward(self, scores: Tensor) -> Tensor:
        peak = scores.amax(dim=-1, keepdim=True)
        terms = (scores - peak).exp()
        rest = self.logit.exp().view(-1, 1, 1)
        return terms / (terms.sum(dim=-1, keepdim=True) + rest)


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.to_q = nn.Linear(hidden_dim, hidden_dim)
        self.to_k = nn.Linear(hidden_dim, hidden_dim)
        self.to_v = nn.Linear(hidden_dim, hidden_dim)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)
        self.share = SinkSoftmax(num_heads)

    def _heads(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.num_heads, -1)).movedim(-2, 1)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (self._heads(f(x)) for f in (self.to_q, self.to_k, self.to_v))
        scores = torch.einsum("bhid,bhjd->bhij", q * q.shape[-1] ** -0.5, k)
        at = torch.arange(x.shape[1], device=x.device)
        scores = scores.masked_fill(at > at[:, None], -torch.inf)
        context = torch.einsum("bhij,bhjd->bihd", self.share(scores), v)
        return self.to_out(context.flatten(-2))
