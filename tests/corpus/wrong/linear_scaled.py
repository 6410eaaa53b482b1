# wrong: linear linear-scaled line 9
# fair: linear-scaled 8, 9, 17, 18
import torch
import torch.nn.functional as F


def linear_attention(query, key, value):
    scale = query.shape[-1] ** -0.5
    q = F.elu(query * scale) + 1
    k = F.elu(key) + 1
    kv = k.mT @ value
    z = q @ k.sum(-2).unsqueeze(-1)
    return q @ kv / z


def causal_linear_attention(query, key, value):
    scale = query.shape[-1] ** -0.5
    q = F.elu(query * scale) + 1
    k = F.elu(key) + 1
    kv = (k.unsqueeze(-1) * value.unsqueeze(-2)).cumsum(2)
    z = (q * k.cumsum(2)).sum(-1, keepdim=True)
    return (q.unsqueeze(-2) @ kv).squeeze(-2) / z
