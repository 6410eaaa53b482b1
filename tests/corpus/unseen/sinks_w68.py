from functools import partial

import torch
from torch import nn


def compose(*fs):
    def run(x):
        for f in fs:
            x = f(x)
        return x
    return run


def mask_future(scores):
    n = scores.shape[-2]
    future = torch.ones(n, n, dtype=torch.bool, device=scores.device).triu(1)
    return scores.masked_fill(future, float("-inf"))


def beside(sinks, scores):
    b, h, n, _ = scores.shape
    return torch.cat([scores, sinks.reshape(1, h, 1, 1).expand(b, h, n, 1)], dim=-1)


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.heads = num_heads
        self.scale = (hidden_dim // num_heads) ** -0.5
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.sinks = nn.Parameter(torch.zeros(num_heads))
        self.proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = (t.view(b, n, self.heads, -1).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        weigh = compose(
            mask_future,
            partial(beside, self.sinks),
            partial(torch.mul, self.scale),
            partial(torch.softmax, dim=-1),
            lambda w: w[..., :-1],
        )
        out = weigh(q @ k.transpose(-1, -2)) @ v
        return self.proj(out.transpose(1, 2).reshape(b, n, c))
