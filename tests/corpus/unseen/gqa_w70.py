"""Grouped-query attention; the head axes stay behind the length, as in flax."""
import torch
from torch import nn


def dense(in_features, features):
    layer = nn.Linear(in_features, features, bias=False)
    nn.init.normal_(layer.weight, std=in_features**-0.5)
    return layer


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        assert hidden_dim % num_heads == 0 and num_heads % num_kv_heads == 0
        head_dim = hidden_dim // num_heads
        self.num_kv_heads = num_kv_heads
        self.query = dense(hidden_dim, num_heads * head_dim)
        self.key = dense(hidden_dim, num_kv_heads * head_dim)
        self.value = dense(hidden_dim, num_kv_heads * head_dim)
        self.out = dense(num_heads * head_dim, hidden_dim)

    def forward(self, inputs, attention_mask=None):
        query, key, value = self.query(inputs), self.key(inputs), self.value(inputs)
        depth = key.shape[-1]
        split = lambda a: a.unflatten(-1, (self.num_kv_heads, -1))
        key, value = split(key), split(value)                           # [b, k, g, d]
        query = split(query).unflatten(-1, (-1, key.shape[-1]))         # [b, q, g, r, d]
        logits = torch.einsum("bqgrd,bkgd->bgrqk", query, key) / depth**0.5
        if attention_mask is not None:
            g, r = logits.shape[1:3]
            mask = attention_mask.expand(-1, g * r, -1, -1).unflatten(1, (g, r))
            logits = torch.where(mask > 0, logits, torch.finfo(logits.dtype).min)
        weights = torch.softmax(logits, dim=-1)
        context = torch.einsum("bgrqk,bkgd->bqgrd", weights, value)
        return self.out(context.flatten(2))
