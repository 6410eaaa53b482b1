# wrong: linear linear-value-mapped line 12, linear-wrong-axis line 19
# fair: linear-value-mapped 13
import torch
import torch.nn.functional as F


def _phi(*ts):
    return [F.elu(t) + 1 for t in ts]


def linear_attention(query, key, value):
    q, k, v = _phi(query, key, value)
    return (q @ (k.mT @ v)) / (q * k.sum(-2, keepdim=True)).sum(-1, keepdim=True)


def causal_linear_attention(query, key, value):
    q, k = _phi(query, key)
    v = torch.cat([value, torch.ones_like(value[..., :1])], -1)
    s = torch.einsum("bhnd,bhne->bhnde", k, v).cumsum(1)
    y = torch.einsum("bhnd,bhnde->bhne", q, s)
    return y[..., :-1] / y[..., -1:]
