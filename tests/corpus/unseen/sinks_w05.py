import math

import torch
from torch import nn


def causal_(scores):
    """Hide the future, in place."""
    keep = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).tril()
    return scores.masked_fill_(~keep, -math.inf)


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int):
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError("hidden_dim must be a multiple of num_heads")
        self.num_heads = num_heads
        self.kv = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.sink_logits = nn.Parameter(torch.empty(num_heads).normal_(std=0.5))
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        k, v = self.kv(x).chunk(2, -1)
        q, k, v = (t.unflatten(-1, (self.num_heads, -1)).movedim(2, 1) for t in (self.q(x), k, v))
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        sink = self.sink_logits.reshape(-1, 1, 1).expand_as(scores[..., :1])
        weights = causal_(torch.cat([sink, scores], -1)).softmax(-1)
        weights = weights[..., 1:]
        return self.proj((weights @ v).movedim(1, 2).flatten(2))
