# wrong: linear causal-inverted line 16
# fair: causal-inverted 14, 15, 16, 17
import torch
from torch.nn.functional import elu


def linear_attention(query, key, value):
    q, k = 1 + elu(query), 1 + elu(key)
    return (q @ (k.mT @ value)) / (q * k.sum(2, keepdim=True)).sum(3, keepdim=True)


def causal_linear_attention(query, key, value):
    q, k = 1 + elu(query), 1 + elu(key)
    flip = lambda x: x.flip(2)
    outer = k.unsqueeze(-1) * value.unsqueeze(-2)
    state = flip(flip(outer).cumsum(2))
    norm = flip(flip(k).cumsum(2))
    return (q.unsqueeze(-1) * state).sum(-2) / (q * norm).sum(-1, keepdim=True)
