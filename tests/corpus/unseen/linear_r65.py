from functools import partial

import torch
import torch.nn.functional as F
from torch import einsum


def feature_map(t):
    return F.elu(t) + 1.


def normalised(num, den):
    return num / den.unsqueeze(-1)


def linear_attention(query, key, value):
    q, k = map(feature_map, (query, key))
    context = einsum('b h n d, b h n e -> b h d e', k, value)
    num = einsum('b h n d, b h d e -> b h n e', q, context)
    den = einsum('b h n d, b h d -> b h n', q, k.sum(dim=-2))
    return normalised(num, den)


def causal_linear_attention(query, key, value):
    q, k = map(feature_map, (query, key))
    running = partial(torch.cumsum, dim=2)
    states = running(einsum('b h n d, b h n e -> b h n d e', k, value))
    num = einsum('b h n d, b h n d e -> b h n e', q, states)
    den = einsum('b h n d, b h n d -> b h n', q, running(k))
    return normalised(num, den)
