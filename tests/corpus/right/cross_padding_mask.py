# right: cross remarks: mask-form, nan-on-empty-row
# memory_mask: (batch, source length), 1 = a real token of the source
import math
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.1):
        super().__init__()
        self.n_heads = n_heads
        self.d_head = d_model // n_heads
        self.query = nn.Linear(d_model, d_model)
        self.key = nn.Linear(d_model, d_model)
        self.value = nn.Linear(d_model, d_model)
        self.output = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        B, Tq, C = query.shape
        Tk = key.shape[1]
        q = self.query(query).view(B, Tq, self.n_heads, self.d_head).transpose(1, 2)
        k = self.key(key).view(B, Tk, self.n_heads, self.d_head).transpose(1, 2)
        v = self.value(value).view(B, Tk, self.n_heads, self.d_head).transpose(1, 2)
        s = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(self.d_head)
        if mask is not None:
            mask = mask.view(B, 1, 1, Tk)
            s = s.masked_fill(mask == 0, float("-inf"))
        a = self.dropout(s.softmax(dim=3))
        return self.output(torch.matmul(a, v).transpose(1, 2).reshape(B, Tq, C))
