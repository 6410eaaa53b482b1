# wrong: linear linear-normaliser-missing line 12
# fair: linear-normaliser-missing 12, 18
import torch
import torch.nn.functional as F


def phi(x):
    return F.elu(x) + 1


def linear_attention(query, key, value):
    return phi(query) @ (phi(key).mT @ value)


def causal_linear_attention(query, key, value):
    q, k = phi(query), phi(key)
    s = (k.unsqueeze(-1) * value.unsqueeze(-2)).cumsum(2)
    return (q.unsqueeze(-1) * s).sum(-2)
