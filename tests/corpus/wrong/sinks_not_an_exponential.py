# wrong: sinks sink-without-exp line 26
from math import sqrt

import torch
from torch import nn


class AttentionWithSinks(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.heads, self.width = n_heads, d_model // n_heads
        self.query = nn.Linear(d_model, d_model)
        self.key = nn.Linear(d_model, d_model)
        self.value = nn.Linear(d_model, d_model)
        self.output = nn.Linear(d_model, d_model)
        self.sink_logits = nn.Parameter(torch.zeros(n_heads))

    def cut(self, t):
        return t.unflatten(2, (self.heads, self.width)).transpose(1, 2)

    def weights(self, q, k):
        n = q.shape[2]
        s = torch.einsum("bhid,bhjd->bhij", q, k) / sqrt(self.width)
        s = s + torch.full((n, n), float("-inf"), device=q.device, dtype=s.dtype).triu(1)
        e = torch.exp(s - s.max(-1, keepdim=True).values)
        return e / (e.sum(-1, keepdim=True) + self.sink_logits.view(-1, 1, 1))

    def forward(self, x):
        q, k, v = self.cut(self.query(x)), self.cut(self.key(x)), self.cut(self.value(x))
        return self.output(torch.einsum("bhij,bhjd->bihd", self.weights(q, k), v).flatten(2))
