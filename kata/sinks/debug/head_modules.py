import torch
import torch.nn as nn


class Head(nn.Module):
    def __init__(self, dim, size):
        super().__init__()
        self.query = nn.Linear(dim, size, bias=False)
        self.key = nn.Linear(dim, size, bias=False)
        self.value = nn.Linear(dim, size, bias=False)
        self.size = size

    def forward(self, x, sink):
        batch, length, _ = x.shape
        scores = self.query(x) @ self.key(x).transpose(1, 2) / self.size**0.5
        visible = torch.tril(torch.ones(length, length, device=x.device)).bool()
        scores = scores.masked_fill(~visible, float("-inf"))
        column = sink.expand(batch, length, 1)
        probs = torch.softmax(torch.cat([scores, column], dim=2), dim=2)
        probs, _ = probs.split([length, 1], dim=2)
        return probs @ self.value(x)


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        size = hidden_dim // num_heads
        self.heads = nn.ModuleList(Head(hidden_dim, size) for _ in range(num_heads))
        self.sinks = nn.Parameter(torch.randn(num_heads))
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        outs = [head(x, self.sinks[i]) for i, head in enumerate(self.heads)]
        return self.proj(torch.cat(outs, dim=-1))
