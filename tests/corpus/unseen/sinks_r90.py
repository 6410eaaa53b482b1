import math

import torch
from torch import Tensor, nn


class SinkAttention(nn.Module):
    """The sink as a gate behind plain attention: sigmoid(log-sum-exp - sink)."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        bound = 1 / math.sqrt(hidden_dim)
        self.w_qkv = nn.Parameter(torch.empty(3, hidden_dim, hidden_dim).uniform_(-bound, bound))
        self.w_out = nn.Parameter(torch.empty(hidden_dim, hidden_dim).uniform_(-bound, bound))
        self.sink = nn.Parameter(torch.zeros(num_heads))

    def forward(self, x: Tensor) -> Tensor:
        length = x.shape[1]
        q, k, v = (
            t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for t in torch.einsum("blc,sce->sble", x, self.w_qkv)
        )
        scores = torch.einsum("bhid,bhjd->bhij", q, k) / math.sqrt(q.shape[-1])
        ahead = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
        scores = scores.masked_fill(ahead, -math.inf)

        lse = scores.logsumexp(-1)
        loud = torch.sigmoid(lse - self.sink[:, None])
        heads = torch.einsum("bhij,bhjd->bhid", scores.softmax(-1), v) * loud.unsqueeze(-1)
        return heads.transpose(1, 2).flatten(2) @ self.w_out
