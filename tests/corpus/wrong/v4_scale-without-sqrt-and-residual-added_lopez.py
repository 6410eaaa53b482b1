# wrong: v4 scale-without-sqrt line 16, residual-added line 19
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)
        self.hidden_dim = hidden_dim

    def forward(self, x, attention_mask=None):
        s = self.q(x) @ self.k(x).transpose(-2, -1) / self.hidden_dim
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, float("-inf"))
        return self.dropout(s.softmax(-1)) @ self.v(x) + x
