# wrong: v4 softmax-wrong-axis line 13, dropout-on-output line 24
# fair: dropout-on-output 21 24
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.softmax = nn.Softmax(dim=-2)
        self.dropout = nn.Dropout(dropout)
        self.root = hidden_dim ** 0.5

    def attention(self, x, mask):
        s = self.q(x) @ self.k(x).transpose(-1, -2) / self.root
        if mask is not None:
            s = s.masked_fill(mask == 0, -1e9)
        return self.softmax(s)

    def forward(self, x, attention_mask=None):
        return self.dropout(self.attention(x, attention_mask) @ self.v(x))
