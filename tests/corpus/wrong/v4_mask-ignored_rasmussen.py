# wrong: v4 mask-ignored line 19
# note: the table has no exact id for this, the header names the nearest
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)
        self._mask = None

    def forward(self, x, attention_mask=None):
        s = self.q(x) @ self.k(x).transpose(2, 1) / x.size(-1) ** 0.5
        if attention_mask is not None:
            if self._mask is None or self._mask.shape != attention_mask.shape:
                self._mask = attention_mask == 0
            s = s.masked_fill(self._mask, float("-inf"))
        return self.dropout(torch.softmax(s, dim=2)) @ self.v(x)
