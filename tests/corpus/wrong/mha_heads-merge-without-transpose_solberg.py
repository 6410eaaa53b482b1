# wrong: mha heads-merge-without-transpose line 24
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.1):
        super().__init__()
        self.H = num_heads
        self.d = d_model // num_heads
        self.wq = nn.Linear(d_model, d_model)
        self.wk = nn.Linear(d_model, d_model)
        self.wv = nn.Linear(d_model, d_model)
        self.wo = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        B, T, D = x.shape
        q, k, v = (w(x).view(B, T, self.H, self.d).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        s = (q @ k.transpose(-1, -2)) / (self.d ** 0.5)
        if mask is not None:
            s = s.masked_fill(mask == 0, float("-inf"))
        y = self.dropout(torch.softmax(s, -1)) @ v
        return self.wo(y.reshape(B, T, D))
