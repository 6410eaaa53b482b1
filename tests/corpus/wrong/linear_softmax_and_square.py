# wrong: linear linear-softmax-kept line 12, tensor-too-large line 11
import torch
import torch.nn.functional as F


def phi(x):
    return F.elu(x) + 1


def linear_attention(query, key, value):
    scores = phi(query) @ phi(key).mT
    weights = scores.softmax(dim=-1)
    return weights @ value


def causal_linear_attention(query, key, value):
    q, k = phi(query), phi(key)
    states = (k.unsqueeze(-1) * value.unsqueeze(-2)).cumsum(2)
    return (q.unsqueeze(-2) @ states).squeeze(-2) / (q * k.cumsum(2)).sum(-1, keepdim=True)
