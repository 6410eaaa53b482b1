# attn-kata: mha
import math

import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.lin_q = nn.Linear(hidden_dim, hidden_dim)
        self.lin_k = nn.Linear(hidden_dim, hidden_dim)
        self.lin_v = nn.Linear(hidden_dim, hidden_dim)
        self.lin_out = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def one_head(self, q, k, v, allowed):
        # q, k, v: (batch, length, head_dim); allowed: (batch, length, length) or None
        scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.head_dim)
        if allowed is not None:
            scores = scores.masked_fill(allowed == 0, float("-inf"))
        weights = torch.softmax(scores, dim=2)
        weights = self.drop(weights)
        return torch.bmm(weights, v)

    def forward(self, x, attention_mask=None):
        batch, length, hidden = x.shape
        if attention_mask is not None:
            attention_mask = attention_mask.expand(batch, self.num_heads, length, length)
        all_q = self.lin_q(x).chunk(self.num_heads, dim=-1)
        all_k = self.lin_k(x).chunk(self.num_heads, dim=-1)
        all_v = self.lin_v(x).chunk(self.num_heads, dim=-1)
        heads = []
        for h in range(self.num_heads):
            if attention_mask is None:
                allowed = None
            else:
                allowed = attention_mask[:, h]
            heads.append(self.one_head(all_q[h], all_k[h], all_v[h], allowed))
        joined = torch.cat(heads, dim=-1)
        return self.lin_out(joined)
