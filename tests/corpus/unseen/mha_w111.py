import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.nh = num_heads
        self.hd = hidden_dim // num_heads
        self.wqkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.p = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        b, s, h = x.size()
        qkv = self.wqkv(x).view(b, s, 3, self.nh, self.hd)
        # 3, b, nh, s, hd
        q, k, v = qkv.permute(2, 0, 3, 1, 4)

        w = torch.matmul(q, k.transpose(2, 3)) * self.hd ** -0.5
        if attention_mask is not None:
            w = w.masked_fill(attention_mask == 0, float("-inf"))
        w = w.softmax(dim=-1)
        w = self.p(w)

        o = torch.matmul(w, v)          # b, nh, s, hd
        o = o.transpose(1, 2).view(b, s, h)
        return self.wo(o)
