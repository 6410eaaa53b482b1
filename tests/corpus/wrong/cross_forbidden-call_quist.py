# wrong: cross forbidden-call line 22
import torch
import torch.nn as nn
from torch.nn.functional import scaled_dot_product_attention as attend


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h = num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.p = dropout

    def forward(self, query, key, value, mask=None):
        q = self.q(query).unflatten(2, (self.h, -1)).transpose(1, 2)
        k = self.k(key).unflatten(2, (self.h, -1)).transpose(1, 2)
        v = self.v(value).unflatten(2, (self.h, -1)).transpose(1, 2)
        bias = None if mask is None else mask[:, None] != 0
        y = attend(q, k, v, attn_mask=bias, dropout_p=self.p if self.training else 0.0)
        return self.o(y.transpose(1, 2).flatten(2))
