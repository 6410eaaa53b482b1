import functools
import math

import torch
from torch import nn
from torch.func import vmap


def _attention(q, k, v):
    """q, k, v: (length, dim), a single example."""
    d = q.shape[-1]
    scores = q @ k.T / math.sqrt(d)  # (length, length)
    weights = torch.softmax(scores, dim=-1)
    return weights @ v


# lift the single-example function to a batch
batched_attention = functools.partial(vmap, in_dims=1, out_dims=1)(_attention)


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim: int):
        super().__init__()
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        return batched_attention(self.query(x), self.key(x), self.value(x))
