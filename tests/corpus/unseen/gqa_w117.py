import math

import torch
import torch.nn as nn
from torch.nn import functional as F


class GroupedQueryAttention(nn.Module):

    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        assert hidden_dim % num_heads == 0
        assert num_heads % num_kv_heads == 0
        self.n_head = num_heads
        self.n_kv_head = num_kv_heads
        self.n_embd = hidden_dim
        self.hs = hidden_dim // num_heads
        # query, key, value projections for all heads, but in a batch
        self.c_attn = nn.Linear(hidden_dim, hidden_dim + 2 * num_kv_heads * self.hs, bias=False)
        # output projection
        self.c_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, attention_mask=None):
        B, T, C = x.size()
        kvw = self.n_kv_head * self.hs
        q, k, v = self.c_attn(x).split([self.n_embd, kvw, kvw], dim=2)
        q = q.view(B, T, self.n_head, self.hs).transpose(1, 2) # (B, nh, T, hs)
        k = k.view(B, T, self.n_kv_head, self.hs).transpose(1, 2) # (B, nkv, T, hs)
        v = v.view(B, T, self.n_kv_head, self.hs).transpose(1, 2) # (B, nkv, T, hs)

        # every query head needs a key head and a value head
        n_rep = self.n_head // self.n_kv_head
        k = torch.cat([k] * n_rep, dim=1)
        v = torch.cat([v] * n_rep, dim=1)

        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        if attention_mask is not None:
            att = att.masked_fill(attention_mask == 0, float('-inf'))
        att = F.softmax(att, dim=-1)
        y = att @ v # (B, nh, T, T) x (B, nh, T, hs) -> (B, nh, T, hs)
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.c_proj(y)
