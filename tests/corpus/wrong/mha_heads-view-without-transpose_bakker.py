# wrong: mha heads-view-without-transpose line 20
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.1):
        super().__init__()
        self.H = num_heads
        self.wq = nn.Linear(d_model, d_model)
        self.wk = nn.Linear(d_model, d_model)
        self.wv = nn.Linear(d_model, d_model)
        self.wo = nn.Linear(d_model, d_model)
        self.p = dropout

    def forward(self, x, mask=None):
        B, T, D = x.shape
        d = D // self.H
        q = self.wq(x).view(B, self.H, T, d)
        k = self.wk(x).view(B, self.H, T, d)
        v = self.wv(x).view(B, self.H, T, d)
        s = q @ k.transpose(-1, -2) * d ** -0.5
        if mask is not None:
            s = s.masked_fill(mask == 0, float("-inf"))
        o = F.dropout(s.softmax(-1), self.p, self.training) @ v
        return self.wo(o.transpose(1, 2).contiguous().view(B, T, D))
