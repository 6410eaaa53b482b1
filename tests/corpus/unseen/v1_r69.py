# self-attention in shader style: rows are fragments, lookups are dot products
from math import sqrt

import torch
from torch import nn
from torch.func import vmap


def _sample(texel, coords, keys):
    """One query reads the whole value texture through its own weights."""
    reach = keys @ coords / sqrt(coords.shape[0])
    weight = torch.softmax(reach, dim=0)
    return weight @ texel


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.basis = nn.ParameterDict(
            {
                name: nn.Parameter(torch.randn(hidden_dim, hidden_dim) / sqrt(hidden_dim))
                for name in ("query", "key", "value")
            }
        )

    def forward(self, x):
        q, k, v = (x @ self.basis[name] for name in ("query", "key", "value"))
        per_query = vmap(_sample, in_dims=(None, 0, None))
        return vmap(per_query)(v, q, k)
