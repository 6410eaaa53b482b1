# wrong: v3 input-modified line 21
import torch
import torch.nn as nn
import torch.nn.functional as F


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
            # maschera additiva: 0 dove si può, -inf dove no
            m = attention_mask.to(s.dtype)
            m[m == 0] = float("-inf")
            m[m == 1] = 0.0
            s = s + m
        w = F.dropout(F.softmax(s, dim=-1), self.p, self.training)
        return self.o(w @ self.v(x))
