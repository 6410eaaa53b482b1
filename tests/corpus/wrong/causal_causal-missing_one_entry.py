# wrong: causal causal-missing line 22
import torch
from torch import nn


class Masked(nn.Module):
    def __init__(self, dim, heads, longest):
        super().__init__()
        self.heads = heads
        self.mix = nn.Linear(dim, 3 * dim)
        self.back = nn.Linear(dim, dim)
        self.register_buffer("seen", torch.ones(longest, longest).tril().bool())

    def forward(self, x):
        n, t, dim = x.shape
        k, v, q = (
            one.unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for one in self.mix(x).split(dim, dim=-1)
        )
        scores = q @ k.mT / q.shape[-1] ** 0.5
        # One entry where all up to t are meant.
        scores = scores.masked_fill(~self.seen[t, t], float("-inf"))
        return self.back((scores.softmax(-1) @ v).transpose(1, 2).reshape(n, t, dim))
