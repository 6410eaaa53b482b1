import math

import torch
import torch.nn as nn


class KeyValueStore:
    """Keeps what attention has computed for earlier tokens."""

    def __init__(self, keys=(), values=()):
        self._keys = list(keys)
        self._values = list(values)

    def __len__(self):
        return sum(k.shape[-2] for k in self._keys)

    def extended(self, k, v):
        self._keys.append(k)
        self._values.append(v)
        return self

    @property
    def keys(self):
        return torch.cat(self._keys, dim=-2)

    @property
    def values(self):
        return torch.cat(self._values, dim=-2)


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.in_proj_weight = nn.Parameter(torch.empty(3 * hidden_dim, hidden_dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * hidden_dim))
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        nn.init.xavier_uniform_(self.in_proj_weight)

    def forward(self, x, cache=None):
        store = KeyValueStore() if cache is None else cache
        past = len(store)

        packed = nn.functional.linear(x, self.in_proj_weight, self.in_proj_bias)
        q, k, v = packed.unflatten(-1, (3, self.num_heads, self.head_dim)).permute(2, 0, 3, 1, 4)
        store = store.extended(k, v)

        scores = torch.matmul(q, store.keys.mT) / math.sqrt(self.head_dim)
        visible = torch.ones(scores.shape[-2:], dtype=torch.bool, device=x.device).tril(diagonal=past)
        weights = torch.where(visible, scores, -math.inf).softmax(dim=-1)
        context = torch.matmul(weights, store.values)
        return self.out_proj(context.permute(0, 2, 1, 3).flatten(2)), store
