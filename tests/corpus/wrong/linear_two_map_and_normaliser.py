# wrong: linear linear-feature-map-other line 6, linear-normaliser-missing line 11
import torch


def phi(x):
    return torch.exp(x)


def linear_attention(query, key, value):
    q, k = phi(query), phi(key)
    return q @ (k.mT @ value)


def causal_linear_attention(query, key, value):
    q, k = phi(query), phi(key)
    s = (k.unsqueeze(-1) * value.unsqueeze(-2)).cumsum(2)
    return (q.unsqueeze(-1) * s).sum(-2) / (q * k.cumsum(2)).sum(-1, keepdim=True)
