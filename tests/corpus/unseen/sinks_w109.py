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
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.sinks = nn.Parameter(torch.zeros(num_heads))

    def causal(self, logits):
        """Hide what comes after each query."""
        rows, cols = logits.shape[-2:]
        allowed = torch.ones(rows, cols, dtype=torch.bool, device=logits.device).tril()
        return logits.masked_fill(~allowed, float("-inf"))

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (f(x).view(b, t, self.num_heads, self.head_dim).transpose(1, 2) for f in (self.q, self.k, self.v))
        scores = q @ k.transpose(-2, -1) / self.head_dim ** 0.5
        sinks = self.sinks.view(1, -1, 1, 1).expand(b, -1, t, 1)
        logits = self.causal(torch.cat([scores, sinks], dim=-1))
        weights = logits.softmax(dim=-1)[..., :-1]
        y = (weights @ v).transpose(1, 2).reshape(b, t, c)
        return self.o(y)
