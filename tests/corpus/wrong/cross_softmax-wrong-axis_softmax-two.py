# wrong: cross softmax-wrong-axis line 27
import torch
import torch.nn as nn
import torch.nn.functional as F


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.d = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        B, Tq, C = query.shape
        Tk = key.shape[1]
        q = self.wq(query).view(B, Tq, self.num_heads, self.d).permute(0, 2, 1, 3)
        k = self.wk(key).view(B, Tk, self.num_heads, self.d).permute(0, 2, 3, 1)
        v = self.wv(value).view(B, Tk, self.num_heads, self.d).permute(0, 2, 1, 3)
        s = torch.matmul(q, k) / self.d ** 0.5
        if mask is not None:
            s = s.masked_fill(mask[:, None] == 0, -1e9)
        a = F.softmax(s, dim=2)
        a = self.dropout(a)
        return self.wo(torch.matmul(a, v).permute(0, 2, 1, 3).reshape(B, Tq, C))
