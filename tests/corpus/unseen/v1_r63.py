# Written the way I would write it in JAX: params are a pytree, the model is a pure function.
import math

import torch
from torch import nn
from torch.func import vmap


def dense(p, x):
    return x @ p["kernel"] + p["bias"]


def init_dense(n):
    lim = math.sqrt(6.0 / (n + n))
    return nn.ParameterDict(
        {
            "kernel": nn.Parameter(torch.empty(n, n).uniform_(-lim, lim)),
            "bias": nn.Parameter(torch.zeros(n)),
        }
    )


def attend_one(q_vec, keys, values):
    """q_vec (D,), keys (L, D), values (L, D) -> (D,)"""
    logits = keys @ (q_vec / math.sqrt(q_vec.shape[-1]))
    unnorm = torch.exp(logits - logits.max())
    probs = unnorm / unnorm.sum()
    return probs @ values


# rows of the queries, then samples
attend_all = vmap(attend_one, in_dims=(0, None, None))
attend_batch = vmap(attend_all)


def apply(params, x):
    q, k, v = (dense(params[name], x) for name in ("q", "k", "v"))
    return attend_batch(q, k, v)


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.params = nn.ModuleDict({name: init_dense(hidden_dim) for name in "qkv"})

    def forward(self, x):
        return apply(self.params, x)
