# wrong: cross key-viewed-by-query-length line 21 (error)
import torch
import torch.nn as nn
import torch.nn.functional as F


class CrossAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.1):
        super().__init__()
        self.n_heads = n_heads
        self.d_k = d_model // n_heads
        self.wq = nn.Linear(d_model, d_model)
        self.wk = nn.Linear(d_model, d_model)
        self.wv = nn.Linear(d_model, d_model)
        self.wo = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        bs, length, d_model = query.shape
        q = self.wq(query).view(bs, length, self.n_heads, self.d_k).transpose(1, 2)
        k = self.wk(key).view(bs, length, self.n_heads, self.d_k).transpose(1, 2)
        v = self.wv(value).view(bs, length, self.n_heads, self.d_k).transpose(1, 2)
        s = q @ k.transpose(-2, -1) / self.d_k ** 0.5
        if mask is not None:
            s = s.masked_fill(mask.unsqueeze(1) == 0, -1e9)
        a = self.dropout(F.softmax(s, dim=-1))
        return self.wo((a @ v).transpose(1, 2).contiguous().view(bs, length, d_model))
