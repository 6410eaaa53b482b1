"""GQA by index: kv heads are looked up per query head, then one vmap over heads."""
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import nn


@dataclass(frozen=True)
class Spec:
    features: int
    q_heads: int
    kv_heads: int

    def __post_init__(self):
        assert self.features % self.q_heads == 0 and self.q_heads % self.kv_heads == 0

    @cached_property
    def depth(self):
        return self.features // self.q_heads

    @cached_property
    def owner(self):
        """kv head of each query head"""
        return [h * self.kv_heads // self.q_heads for h in range(self.q_heads)]


def dot_product(q, k, v, bias):
    # q, k, v [B, T, D]; bias broadcastable to [B, T, T]
    w = torch.softmax(torch.einsum("bqd,bkd->bqk", q, k) * q.shape[-1] ** -0.5 + bias, dim=-1)
    return torch.einsum("bqk,bkd->bqd", w, v)


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.spec = s = Spec(hidden_dim, num_heads, num_kv_heads)
        init = hidden_dim**-0.5
        self.q_kernel = nn.Parameter(init * torch.randn(num_heads, hidden_dim, s.depth))
        self.kv_kernel = nn.Parameter(init * torch.randn(2, num_kv_heads, hidden_dim, s.depth))
        self.out_kernel = nn.Parameter(init * torch.randn(num_heads, s.depth, hidden_dim))

    def forward(self, x, attention_mask=None):
        q = torch.einsum("btc,hcd->hbtd", x, self.q_kernel)
        k, v = torch.einsum("btc,nkcd->nkbtd", x, self.kv_kernel)
        k, v = k[self.spec.owner], v[self.spec.owner]
        if attention_mask is None:
            bias, axis = x.new_zeros(()), None
        else:
            bias = torch.zeros_like(attention_mask, dtype=x.dtype)
            bias = torch.where(attention_mask.bool(), bias, torch.finfo(x.dtype).min)
            bias, axis = (bias[:, 0], None) if bias.shape[1] == 1 else (bias, 1)
        heads = torch.vmap(dot_product, in_dims=(0, 0, 0, axis))(q, k, v, bias)
        return torch.einsum("hbtd,hdc->btc", heads, self.out_kernel)
