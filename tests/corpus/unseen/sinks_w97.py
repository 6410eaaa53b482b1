import math

import torch
import torch.nn as nn


def softmax_one(logits, sink):
    """Softmax over the last axis with one more logit, whose share is dropped."""
    top = logits.amax(dim=-1, keepdim=True).detach()
    numerator = (logits - top).exp()
    return numerator / (numerator.sum(dim=-1, keepdim=True) + sink.exp())


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.sink = nn.Parameter(torch.empty(num_heads).normal_(std=0.02))

    def heads(self, t):
        return t.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)

    def forward(self, x):
        T = x.shape[1]
        q, k, v = self.heads(self.wq(x)), self.heads(self.wk(x)), self.heads(self.wv(x))
        logits = q @ k.mT / math.sqrt(self.head_dim)
        logits = logits.masked_fill(torch.ones(T, T, device=x.device).triu(1).bool(), -math.inf)
        weights = softmax_one(logits, self.sink[:, None, None])
        return self.wo((weights @ v).transpose(1, 2).flatten(2))
