# wrong: v3 dropout-rate-wrong line 22
# note: the table has no exact id for this, the header names the nearest
import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.p = dropout

    def forward(self, x, attention_mask=None):
        s = self.q(x) @ self.k(x).transpose(-1, -2) / x.size(-1) ** 0.5
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, float("-inf"))
        w = torch.softmax(s, dim=-1)
        if self.training and self.p > 0:
            w = w * (torch.rand_like(w) > self.p)
        return self.o(w @ self.v(x))
