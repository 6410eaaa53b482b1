# wrong: sinks sink-scaled line 33
import math

import torch
from torch import nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.sinks = nn.Parameter(torch.zeros(num_heads))

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (
            f(x).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
            for f in (self.q, self.k, self.v)
        )
        logits = q @ k.mT / math.sqrt(self.head_dim)
        later = torch.ones(t, t, dtype=torch.bool, device=x.device).triu(1)
        logits = logits.masked_fill(later, float("-inf"))
        # powers of two are cheaper than powers of e
        logits = logits / math.log(2)
        sink = self.sinks.view(1, -1, 1, 1).expand(b, -1, t, 1)
        top = torch.maximum(logits.amax(-1, keepdim=True), sink)
        both = torch.cat([logits - top, sink - top], dim=-1).exp2()
        weights = (both / both.sum(-1, keepdim=True))[..., :-1]
        return self.out((weights @ v).transpose(1, 2).reshape(b, t, c))
