import torch
import torch.nn as nn
import torch.nn.functional as F


def dense(params, name, x):
    return jnp_dot(x, params[name + "_w"]) + params[name + "_b"]


def jnp_dot(a, b):
    return torch.tensordot(a, b, dims=([-1], [0]))


def nn_softmax(logits, axis):
    unnormalized = torch.exp(logits - logits.amax(1, keepdim=True))
    return unnormalized / unnormalized.sum(axis, keepdim=True)


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        params = {}
        for name in ("query", "key", "value"):
            params[name + "_w"] = nn.Parameter(torch.randn(hidden_dim, hidden_dim) / hidden_dim**0.5)
            params[name + "_b"] = nn.Parameter(torch.zeros(hidden_dim))
        self.params = nn.ParameterDict(params)

    def forward(self, x):
        q, k, v = (dense(self.params, n, x) for n in ("query", "key", "value"))
        logits = torch.einsum("bqd,bkd->bqk", q, k) / (k.shape[-1] ** 0.5)
        probs = nn_softmax(logits, axis=2)
        return torch.einsum("bqk,bkd->bqd", probs, v)
