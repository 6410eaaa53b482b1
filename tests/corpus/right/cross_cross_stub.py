# right: cross
import math
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.to_q = nn.Linear(hidden_dim, hidden_dim)
        self.to_k = nn.Linear(hidden_dim, hidden_dim)
        self.to_v = nn.Linear(hidden_dim, hidden_dim)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def _apply_mask(self, scores, mask):
        if mask is None:
            return scores
        if mask.dim() == 3:
            mask = mask.unsqueeze(1)
        return scores.masked_fill(mask == 0, float("-inf"))

    def forward(self, query, key, value, mask=None):
        B, Tq, D = query.shape
        Tk = key.shape[1]
        d = D // self.num_heads
        q = self.to_q(query).view(B, Tq, self.num_heads, d).transpose(1, 2)
        k = self.to_k(key).view(B, Tk, self.num_heads, d).permute(0, 2, 3, 1)
        v = self.to_v(value).view(B, Tk, self.num_heads, d).transpose(1, 2)
        scores = self._apply_mask(torch.matmul(q, k) / math.sqrt(d), mask)
        ctx = torch.matmul(self.dropout(scores.softmax(-1)), v)
        return self.to_out(ctx.transpose(1, 2).reshape(B, Tq, D))
