# wrong: v4 dropout-in-eval line 19
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = dropout

    def forward(self, x, attention_mask=None):
        s = self.q(x) @ self.k(x).transpose(-1, -2) / (x.size(-1) ** 0.5)
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, float("-inf"))
        w = F.dropout(F.softmax(s, dim=-1), self.dropout)
        return w @ self.v(x)
