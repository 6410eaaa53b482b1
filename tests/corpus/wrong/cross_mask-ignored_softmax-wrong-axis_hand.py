# wrong: cross mask-ignored line 29, softmax-wrong-axis line 31
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        B, Tq, _ = query.shape
        Tk = key.shape[1]
        q = self.q(query).view(B, Tq, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.k(key).view(B, Tk, self.num_heads, self.head_dim).transpose(1, 2)
        v = self.v(value).view(B, Tk, self.num_heads, self.head_dim).transpose(1, 2)

        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.head_dim)
        if mask is not None:
            mask = mask.unsqueeze(1)
            scores.masked_fill(mask == 0, -1e9)

        weights = F.softmax(scores, dim=2)
        weights = self.dropout(weights)
        out = torch.matmul(weights, v).transpose(1, 2).contiguous().view(B, Tq, -1)
        return self.out(out)
