import math

import torch
from torch import Tensor, nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.sinks = nn.Parameter(torch.zeros(num_heads))

    def _heads(self, t: Tensor) -> Tensor:
        return t.view(*t.shape[:2], self.num_heads, self.head_dim).transpose(1, 2)

    def _context(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        length = q.size(2)
        if length == 1:
            return v  # one key: it has all the weight
        scores = q @ k.mT / math.sqrt(self.head_dim)
        ahead = torch.ones(length, length, dtype=torch.bool, device=q.device).triu(1)
        scores = scores.masked_fill(ahead, -math.inf)
        sink = self.sinks.view(1, -1, 1, 1).expand(scores.size(0), -1, length, 1)
        weights = torch.cat([scores, sink], dim=-1).softmax(dim=-1)[..., :-1]
        return weights @ v

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (self._heads(p(x)) for p in (self.q_proj, self.k_proj, self.v_proj))
        context = self._context(q, k, v)
        return self.o_proj(context.transpose(1, 2).flatten(2))
