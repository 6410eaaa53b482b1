# wrong: mha heads-merge-wrong-axes line 23
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.qkv = nn.Linear(hidden_dim, hidden_dim * 3)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)
        self.scale = (hidden_dim // num_heads) ** -0.5

    def forward(self, x, attention_mask=None):
        b, t, c = x.size()
        q, k, v = self.qkv(x).view(b, t, 3, self.num_heads, -1).transpose(1, 3).unbind(2)
        w = (q * self.scale) @ k.transpose(-1, -2)
        if attention_mask is not None:
            w = w.masked_fill(~attention_mask.bool(), float("-inf"))
        w = self.dropout(w.softmax(-1))
        y = w @ v
        y = y.transpose(-1, -2).contiguous().view(b, t, c)
        return self.out(y)
