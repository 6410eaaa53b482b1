# attn-kata: gqa
import math

import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        assert num_heads % num_kv_heads == 0
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.group = num_heads // num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.w_query = nn.Linear(hidden_dim, num_heads * self.head_dim, bias=False)
        self.w_key = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.w_value = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.w_out = nn.Linear(num_heads * self.head_dim, hidden_dim, bias=False)

    def _group_mask(self, mask):
        """-> broadcastable to (n_seq, kv, group, rows, cols)"""
        if mask.shape[1] == 1:
            return mask.unsqueeze(1)
        return mask.unflatten(1, (self.group, self.num_kv_heads)).transpose(1, 2)

    def forward(self, x, attention_mask=None):
        n_seq, n_res, _ = x.shape
        q = self.w_query(x).view(n_seq, n_res, self.num_kv_heads, self.group, self.head_dim)
        k = self.w_key(x).view(n_seq, n_res, self.num_kv_heads, self.head_dim)
        v = self.w_value(x).view(n_seq, n_res, self.num_kv_heads, self.head_dim)

        sim = torch.einsum("nikgd,njkd->nkgij", q, k) / math.sqrt(self.head_dim)
        if attention_mask is not None:
            sim = sim.masked_fill(self._group_mask(attention_mask) == 0, float("-inf"))
        weights = sim.softmax(dim=-1)
        mixed = torch.einsum("nkgij,njkd->nikgd", weights, v)
        return self.w_out(mixed.reshape(n_seq, n_res, -1))
