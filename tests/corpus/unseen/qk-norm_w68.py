import math
from functools import partial

import torch
from torch import nn
from torch.nn.functional import rms_norm


def attend(q, k, v):
    s = torch.einsum("bihd,bjhd->bhij", q, k) / math.sqrt(q.shape[-1])
    n = s.shape[-1]
    keep = torch.ones(n, n, dtype=torch.bool, device=s.device).tril()
    return torch.einsum("bhij,bjhd->bihd", s.masked_fill(~keep, -math.inf).softmax(-1), v)


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.split = partial(torch.unflatten, dim=-1, sizes=(num_heads, hidden_dim // num_heads))
        self.q, self.k, self.v, self.o = (nn.Linear(hidden_dim, hidden_dim) for _ in range(4))
        self.query_gain, self.key_gain = (nn.Parameter(torch.ones(hidden_dim // num_heads)) for _ in range(2))

    def forward(self, x):
        q, k, v = (self.split(layer(x)) for layer in (self.q, self.k, self.v))
        norm = partial(rms_norm, normalized_shape=q.shape[-2:], eps=1e-6)
        y = attend(norm(q) * self.query_gain, norm(k) * self.key_gain, v)
        return self.o(y.flatten(-2))
