# right: linear
import torch


def feature(x):
    """elu(x) + 1 by hand: exp sees nothing above 0, so that neither it nor its gradient overflows."""
    return x.clamp(min=0) + x.clamp(max=0).exp()


def linear_attention(query, key, value):
    q, k = feature(query), feature(key)
    return q @ (k.mT @ value) / (q @ k.sum(-2).unsqueeze(-1))


def causal_linear_attention(query, key, value):
    q, k = feature(query), feature(key)
    states = (k.unsqueeze(-1) * value.unsqueeze(-2)).cumsum(2)
    read = (q.unsqueeze(-2) @ states).squeeze(-2)
    return read / (q * k.cumsum(2)).sum(-1, keepdim=True)
