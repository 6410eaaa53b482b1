# wrong: linear tensor-too-large line 19
import torch
import torch.nn.functional as F


def phi(x):
    return F.elu(x) + 1


def linear_attention(query, key, value):
    q, k = phi(query), phi(key)
    return (q @ (k.mT @ value)) / (q @ k.sum(2)[..., None])


def causal_linear_attention(query, key, value):
    """数值是对的，但算出了 (length, length) 的矩阵。"""
    q, k = phi(query), phi(key)
    t = q.shape[2]
    weights = q @ k.transpose(-2, -1)
    weights = weights * torch.ones(t, t, device=q.device).tril()
    weights = weights / weights.sum(-1, keepdim=True)
    return weights.to(value.dtype) @ value
