# wrong: mha mask-ignored line 25
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h = num_heads
        self.d = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        b, t, c = x.shape
        q = self.q(x).reshape(b, t, self.h, self.d).transpose(1, 2)
        k = self.k(x).reshape(b, t, self.h, self.d).transpose(1, 2)
        v = self.v(x).reshape(b, t, self.h, self.d).transpose(1, 2)
        s = q @ k.transpose(-1, -2) / self.d ** 0.5
        if mask is not None:
            # 全部のヘッドに同じマスク（先頭ヘッドの分）
            s = s.masked_fill(mask[:, :1] == 0, float("-inf"))
        y = self.dropout(s.softmax(dim=-1)) @ v
        return self.o(y.transpose(1, 2).flatten(2))
