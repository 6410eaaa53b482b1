# wrong: linear linear-normaliser-wrong line 13
# fair: linear-normaliser-wrong 12, 13
import torch
import torch.nn.functional as F


def phi(x):
    return F.elu(x) + 1


def linear_attention(query, key, value):
    num = phi(query) @ (phi(key).transpose(-2, -1) @ value)
    den = num.sum(dim=-1, keepdim=True)
    return num / den


def causal_linear_attention(query, key, value):
    q, k = phi(query), phi(key)
    num = (q[..., None] * torch.cumsum(k[..., None] * value[..., None, :], 2)).sum(-2)
    den = (q * k.cumsum(2)).sum(-1, keepdim=True)
    return num / den
