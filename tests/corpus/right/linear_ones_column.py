# right: linear
# 给 value 补一列 1：分子和分母一起算
import torch


def f(x):
    return torch.where(x > 0, x + 1, torch.exp(x.clamp(max=0)))


def _with_ones(v):
    return torch.cat([v, torch.ones_like(v[..., :1])], dim=-1)


def linear_attention(query, key, value):
    kv = f(key).mT @ _with_ones(value)
    both = f(query) @ kv
    return both[..., :-1] / both[..., -1:]


def causal_linear_attention(query, key, value):
    steps = f(key)[..., :, None] * _with_ones(value)[..., None, :]
    states = torch.cumsum(steps, dim=-3)
    both = torch.einsum("bhtd,bhtdv->bhtv", f(query), states)
    return both[..., :-1] / both[..., -1:]
