# attn-kata: cross
from __future__ import annotations

import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class CrossAttention(nn.Module):
    """Multi-Head Attention module"""

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.n_head = num_heads
        self.d_k = hidden_dim // num_heads
        self.w_qs = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.w_ks = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.w_vs = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.fc = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.temperature = math.sqrt(self.d_k)
        self.attn_dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        d_k, n_head = self.d_k, self.n_head
        sz_b, len_q, len_k, len_v = query.size(0), query.size(1), key.size(1), value.size(1)
        residual = query

        q = self.w_qs(query).view(sz_b, len_q, n_head, d_k).transpose(1, 2)
        k = self.w_ks(key).view(sz_b, len_k, n_head, d_k).transpose(1, 2)
        v = self.w_vs(value).view(sz_b, len_v, n_head, d_k).transpose(1, 2)

        attn = torch.matmul(q / self.temperature, k.transpose(2, 3))
        if mask is not None:
            attn = attn.masked_fill(mask.unsqueeze(1) == 0, float("-inf"))
        attn = self.attn_dropout(F.softmax(attn, dim=-1))
        output = torch.matmul(attn, v).transpose(1, 2).contiguous().view(sz_b, len_q, -1)
        output = self.fc(output)
        output += residual
        return output
