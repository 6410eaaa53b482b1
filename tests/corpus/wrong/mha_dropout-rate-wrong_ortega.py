# wrong: mha dropout-rate-wrong line 24
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h = num_heads
        self.d = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = dropout

    def forward(self, x, mask=None):
        B, T, _ = x.shape
        q, k, v = (f(x).view(B, T, self.h, self.d).transpose(1, 2) for f in (self.q, self.k, self.v))
        s = q @ k.transpose(2, 3) / self.d ** 0.5
        if mask is not None:
            s = s.masked_fill(mask == 0, float("-inf"))
        w = F.dropout(torch.softmax(s, -1), training=self.training)
        return self.o((w @ v).transpose(1, 2).reshape(B, T, -1))
