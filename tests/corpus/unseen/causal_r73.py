"""Haiku habits: params in a dict, everything else is a pure function that gets vmapped."""
import math

import torch
from torch import nn
from torch.func import vmap


def init_params(dim, heads):
    def kernel(*shape):
        return nn.Parameter(torch.randn(*shape) / math.sqrt(dim))

    hd = dim // heads
    return nn.ParameterDict({
        "wq": kernel(heads, dim, hd),
        "wk": kernel(heads, dim, hd),
        "wv": kernel(heads, dim, hd),
        "bq": nn.Parameter(torch.zeros(heads, hd)),
        "bv": nn.Parameter(torch.zeros(heads, hd)),
        "wo": kernel(heads, hd, dim),
    })


def attend(x, wq, wk, wv, bq, bv, bias):
    """One head of one sequence: x [T, C] -> [T, D]."""
    q, k, v = x @ wq + bq, x @ wk, x @ wv + bv
    logits = q @ k.T / math.sqrt(q.shape[-1]) + bias
    logits = logits - torch.logsumexp(logits, -1, keepdim=True)
    return torch.exp(logits) @ v


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.params = init_params(hidden_dim, num_heads)
        upper = torch.ones(block_size, block_size).triu(1)
        self.register_buffer("bias", torch.zeros_like(upper).masked_fill(upper.bool(), -math.inf), persistent=False)

    def forward(self, x):
        t = x.shape[1]
        p = self.params
        bias = self.bias[:t, :t].to(x.dtype)
        per_head = vmap(attend, in_dims=(None, 0, 0, 0, 0, 0, None), out_dims=0)
        per_seq = vmap(per_head, in_dims=(0,) + (None,) * 6)
        heads = per_seq(x, p["wq"], p["wk"], p["wv"], p["bq"], p["bv"], bias)  # [B, H, T, D]
        return torch.einsum("bhtd,hdc->btc", heads, p["wo"])
