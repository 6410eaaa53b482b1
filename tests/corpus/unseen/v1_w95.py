"""Attention the functional way: parameters in a dict, the maths in pure functions."""
import torch
from torch import nn


def init(dim):
    bound = dim ** -0.5
    return nn.ParameterDict({n: nn.Parameter(torch.empty(dim, dim).uniform_(-bound, bound)) for n in "qkv"})


def attend_one(params, xs):
    """xs: [t, e], a single example."""
    q, k, v = (xs @ params[n] for n in ("q", "k", "v"))
    logits = torch.einsum("ie,je->ij", q, k) / q.shape[-1] ** 0.5
    probs = torch.softmax(logits, dim=-1)
    return torch.einsum("ji,je->ie", probs, v)


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.params = init(hidden_dim)

    def forward(self, x):
        weights = dict(self.params.items())
        return torch.vmap(attend_one, in_dims=(None, 0))(weights, x)
