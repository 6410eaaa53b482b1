import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiQueryAttention(nn.Module):

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.embed_dim = hidden_dim
        self.num_heads = num_heads
        self.kv_dim = hidden_dim // num_heads
        self.c_attn = nn.Linear(hidden_dim, hidden_dim + 2 * self.kv_dim)
        self.c_proj = nn.Linear(hidden_dim, hidden_dim)

    def _attn(self, query, key, value, attention_mask):
        # query (B, H, T, D), key and value (B, T, D)
        att = torch.einsum("bhtd,bsd->bhts", query, key)
        att = att / math.sqrt(key.size(1))
        if attention_mask is not None:
            att = att + torch.zeros_like(att).masked_fill(attention_mask == 0, float("-inf"))
        return torch.einsum("bhts,bsd->bthd", F.softmax(att, dim=-1), value)

    def forward(self, x, attention_mask=None):
        B, T, _ = x.shape
        query, key, value = self.c_attn(x).split([self.embed_dim, self.kv_dim, self.kv_dim], dim=2)
        query = query.view(B, T, self.num_heads, self.kv_dim).transpose(1, 2)
        y = self._attn(query, key, value, attention_mask)
        return self.c_proj(y.reshape(B, T, self.embed_dim))
