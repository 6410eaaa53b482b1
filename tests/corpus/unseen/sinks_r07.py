"""Attention with sinks: softmax without the extra column, its mass folded in by log-add-exp."""
import torch
from torch import nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.H = num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.sink_logit = nn.Parameter(torch.zeros(num_heads))

    def forward(self, x):
        q, k, v = (p(x).unflatten(2, (self.H, -1)).movedim(2, 1) for p in (self.q, self.k, self.v))
        z = torch.einsum("...id,...jd->...ij", q * q.size(-1) ** -0.5, k)
        n = x.size(1)
        z = z.masked_fill(torch.ones(n, n, device=x.device, dtype=torch.bool).triu(1), float("-inf"))
        # sigmoid(lse - sink) is the share that the keys get together
        lse = torch.logsumexp(z, dim=-1, keepdim=True)
        share = torch.sigmoid(lse - self.sink_logit.view(1, self.H, 1, 1))
        heads = torch.softmax(z, dim=-1) * share @ v
        return self.o(heads.movedim(1, 2).flatten(2))
