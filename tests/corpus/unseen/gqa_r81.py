import math
from typing import NamedTuple

import torch
from torch import nn


class Dims(NamedTuple):
    groups: int
    per_group: int
    width: int

    @property
    def query(self):
        return self.groups * self.per_group * self.width

    @property
    def kv(self):
        return self.groups * self.width


def validated(init):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        assert hidden_dim % num_heads == 0, "hidden_dim % num_heads != 0"
        assert num_heads % num_kv_heads == 0, "num_heads % num_kv_heads != 0"
        init(self, hidden_dim, num_heads, num_kv_heads)

    return __init__


class GroupedQueryAttention(nn.Module):
    @validated
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.dims = dims = Dims(num_kv_heads, num_heads // num_kv_heads, hidden_dim // num_heads)
        self.wqkv = nn.Linear(hidden_dim, dims.query + 2 * dims.kv, bias=False)
        self.wo = nn.Linear(dims.query, hidden_dim, bias=False)

    @staticmethod
    def hide(scores, mask, dims):
        if mask is None:
            return scores
        blocked = (mask == 0).expand(-1, dims.groups * dims.per_group, *scores.shape[-2:])
        return scores.masked_fill(blocked.unflatten(1, (dims.groups, dims.per_group)),
                                  torch.finfo(scores.dtype).min)

    def forward(self, x, attention_mask=None):
        d = self.dims
        q, k, v = self.wqkv(x).split([d.query, d.kv, d.kv], dim=-1)
        q = q.unflatten(-1, d)                       # b t g r d
        k = k.unflatten(-1, (d.groups, d.width))     # b s g d
        v = v.unflatten(-1, (d.groups, d.width))
        scores = torch.einsum("btgrd,bsgd->bgrts", q, k) / math.sqrt(d.width)
        weights = self.hide(scores, attention_mask, d).softmax(-1)
        return self.wo(torch.einsum("bgrts,bsgd->btgrd", weights, v).flatten(2))
