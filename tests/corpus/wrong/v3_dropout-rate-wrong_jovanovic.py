# wrong: v3 dropout-rate-wrong line 13
import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(1 - dropout)

    def forward(self, x, attention_mask=None):
        s = self.q(x) @ self.k(x).mT / x.size(-1) ** 0.5
        if attention_mask is not None:
            s = s.masked_fill(attention_mask.logical_not(), float("-inf"))
        return self.o(self.dropout(s.softmax(-1)) @ self.v(x))
