# right: v1
from functools import partial

import torch
from torch import nn


class SelfAttentionV1(nn.Module):
    """Columns are queries here: scores[b, key, query]."""

    def __init__(self, hidden_dim, qkv_bias=True):
        super().__init__()
        make = partial(nn.Linear, hidden_dim, hidden_dim, bias=qkv_bias)
        self.proj = nn.ModuleDict(dict(value_=make(), key_=make(), query_=make()))

    def forward(self, x):
        tensors = {name: layer(x) for name, layer in self.proj.items()}
        scores = torch.bmm(tensors["key_"], tensors["query_"].transpose(1, 2))
        scores = scores.div(tensors["key_"].shape[-1] ** 0.5)
        weights = nn.functional.softmax(scores, dim=1)  # over the keys, which are rows
        return torch.bmm(weights.transpose(1, 2), tensors["value_"])
