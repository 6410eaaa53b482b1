from functools import partial

import torch
from torch import nn

EPS = 1e-6


def rms(u, eps=EPS):
    return u.div((u.norm(dim=-1, keepdim=True).square() / u.size(-1) + eps).sqrt())


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        linear = partial(nn.Linear, hidden_dim, hidden_dim, bias=False)
        self.q, self.k, self.v, self.o = linear(), linear(), linear(), linear()
        self.gains = nn.Parameter(torch.ones(2, hidden_dim // num_heads))
        self.num_heads = num_heads

    def forward(self, x):
        split = lambda t: t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        q, k, v = (rms(split(f(x))) for f in (self.q, self.k, self.v))
        scores = torch.matmul(q * self.gains[0], (k * self.gains[1]).mT) / q.size(-1) ** 0.5
        hidden = torch.ones_like(scores, dtype=torch.bool).triu(1)
        weights = scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)
        return self.o(torch.matmul(weights, v).transpose(1, 2).flatten(2))
