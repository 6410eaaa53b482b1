# right: v4
"""Process the queries in blocks so that the (T, T) matrix never exists at once."""
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    BLOCK = 3

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, kt, v = self.q(x), self.k(x).transpose(1, 2), self.v(x)
        pieces = []
        for start in range(0, x.shape[1], self.BLOCK):
            part = q[:, start:start + self.BLOCK]
            s = part @ kt * part.shape[-1] ** -0.5
            if attention_mask is not None:
                s = s.masked_fill(attention_mask[:, start:start + self.BLOCK] == 0, -1e30)
            pieces.append(self.drop(torch.softmax(s, dim=-1)) @ v)
        return self.o(torch.cat(pieces, dim=1))
