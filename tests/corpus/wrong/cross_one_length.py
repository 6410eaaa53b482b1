# wrong: cross key-viewed-by-query-length line 21 (error)
import math
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.nh = num_heads
        self.hd = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        B, T, D = query.size()
        Q = self.q_proj(query).view(B, T, self.nh, self.hd).transpose(1, 2)
        K, V = (t.view(B, T, self.nh, self.hd).transpose(1, 2) for t in (self.k_proj(key), self.v_proj(value)))
        scores = Q @ K.transpose(-2, -1) / math.sqrt(self.hd)
        if mask is not None:
            scores = scores.masked_fill(mask.unsqueeze(1) == 0, float("-inf"))
        out = self.dropout(torch.softmax(scores, dim=-1)) @ V
        return self.o_proj(out.transpose(1, 2).contiguous().view(B, T, D))
