import torch
from torch import nn
import math


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h = num_heads
        self.dk = hidden_dim // num_heads
        self.Wq = nn.Linear(hidden_dim, hidden_dim)
        self.Wk = nn.Linear(hidden_dim, hidden_dim)
        self.Wv = nn.Linear(hidden_dim, hidden_dim)
        self.Wo = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        B, Tq, _ = query.shape
        Tk = key.shape[1]
        q = self.Wq(query).view(B, Tq, self.h, self.dk).transpose(1, 2)
        k = self.Wk(key).view(B, Tk, self.h, self.dk).transpose(1, 2)
        v = self.Wv(key).view(B, Tk, self.h, self.dk).transpose(1, 2)
        s = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(self.dk)
        if mask is not None:
            s = s.masked_fill(mask.unsqueeze(1) == 0, torch.finfo(s.dtype).min)
        p = self.dropout(torch.softmax(s, dim=3))
        o = torch.matmul(p, v).transpose(1, 2).contiguous().view(B, Tq, self.h * self.dk)
        return self.Wo(o)
