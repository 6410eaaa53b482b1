# wrong: linear causal-missing line 18
# fair: causal-missing 18, 19, 20
import torch


def phi(x):
    return torch.nn.functional.elu(x) + 1


def linear_attention(query, key, value):
    q, k = phi(query), phi(key)
    return (q @ (k.mT @ value)) / (q @ k.sum(-2, keepdim=True).mT)


def causal_linear_attention(query, key, value):
    # the same, it is one state after all
    q, k = phi(query), phi(key)
    state = k.mT @ value
    norm = q @ k.sum(-2, keepdim=True).mT
    return (q @ state) / norm
