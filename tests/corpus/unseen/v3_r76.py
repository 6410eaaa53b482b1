"""Only tensors and closures; nn.Module is used as a bag of parameters."""
from functools import reduce

import torch
from torch import nn


def compose(*fs):
    return reduce(lambda f, g: lambda a: g(f(a)), fs)


def affine(w, b):
    return lambda a: torch.addmm(b, a.flatten(0, 1), w.t()).view(*a.shape[:-1], w.size(0))


def hide(mask):
    if mask is None:
        return lambda s: s
    return lambda s: s.masked_fill(mask.logical_not(), -float("inf"))


def softmax_(s):
    e = (s - s.max(dim=-1, keepdim=True).values.detach()).exp()
    return e.div(e.sum(dim=-1, keepdim=True))


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.mats = nn.ParameterList([nn.Parameter(torch.randn(hidden_dim, hidden_dim) / hidden_dim) for _ in range(4)])
        self.vecs = nn.ParameterList([nn.Parameter(torch.zeros(hidden_dim)) for _ in range(4)])
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        to_q, to_k, to_v, to_out = (affine(w, b) for w, b in zip(self.mats, self.vecs))
        values = to_v(x)
        pipeline = compose(
            to_q,
            lambda q: q.bmm(to_k(x).mT) / q.size(-1) ** 0.5,
            hide(attention_mask),
            softmax_,
            self.drop,
            lambda w: w.bmm(values),
            to_out,
        )
        return pipeline(x)
