# wrong: v3 scale-by-length line 18, mask-inverted line 20
import math
import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        s = torch.bmm(self.q(x), self.k(x).transpose(1, 2)) / math.sqrt(x.shape[1])
        if attention_mask is not None:
            s = s.masked_fill(attention_mask != 0, float("-inf"))
        w = self.dropout(torch.softmax(s, dim=-1))
        return self.o(torch.bmm(w, self.v(x)))
