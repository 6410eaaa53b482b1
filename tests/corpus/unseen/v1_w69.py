import functools
import math

import torch
from torch import nn

Dense = functools.partial(nn.Linear, bias=False)


def init_params_(module: nn.Module) -> nn.Module:
    for p in module.parameters():
        nn.init.xavier_uniform_(p)
    return module


class SelfAttentionV1(nn.Module):
    """flax.linen-ish: `features` is the width of query, key and value."""

    def __init__(self, hidden_dim: int):
        super().__init__()
        self.features = hidden_dim
        self.to_query = init_params_(Dense(hidden_dim, hidden_dim))
        self.to_key = init_params_(Dense(hidden_dim, hidden_dim))
        self.to_value = init_params_(Dense(hidden_dim, hidden_dim))

    def project(self, inputs):
        query = self.to_query(inputs) / math.sqrt(self.features)
        return query, self.to_key(inputs), self.to_value(inputs)

    def attend(self, query, key, value):
        depth = query.shape[-1]
        logits = torch.einsum("bqd,bkd->bqk", query, key) / math.sqrt(depth)
        weights = nn.functional.softmax(logits, dim=-1)
        return torch.einsum("bqk,bkd->bqd", weights, value)

    def forward(self, inputs):
        return self.attend(*self.project(inputs))
