# wrong: mha view-needs-contiguous line 26 (error)
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.wq = nn.Linear(d_model, d_model)
        self.wk = nn.Linear(d_model, d_model)
        self.wv = nn.Linear(d_model, d_model)
        self.wo = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        B, T, D = x.size()
        q = self.wq(x).view(B, T, self.num_heads, self.d_k).transpose(1, 2)
        k = self.wk(x).view(B, T, self.num_heads, self.d_k).transpose(1, 2)
        v = self.wv(x).view(B, T, self.num_heads, self.d_k).transpose(1, 2)
        s = torch.matmul(q, k.transpose(-1, -2)) / self.d_k ** 0.5
        if mask is not None:
            s = s.masked_fill(mask == 0, -1e9)
        ctx = torch.matmul(self.drop(s.softmax(-1)), v)
        ctx = ctx.transpose(1, 2).view(B, T, D)
        return self.wo(ctx)
