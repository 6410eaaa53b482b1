# wrong: v3 device-hardcoded line 19
import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        B, T, D = x.shape
        s = self.q(x) @ self.k(x).transpose(-1, -2) / D ** 0.5
        if attention_mask is None:
            attention_mask = torch.ones(B, T, T)
        s = s.masked_fill(attention_mask == 0, float("-inf"))
        w = self.dropout(torch.softmax(s, dim=-1))
        return self.o(w @ self.v(x))
