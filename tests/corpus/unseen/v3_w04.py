# attn-kata: v3
import torch
from torch import nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.dropout_layer = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q = self.q(x)
        k = self.k(x)
        v = self.v(x)
        s = torch.bmm(q, k.permute(0, 2, 1))
        s = s / (self.hidden_dim ** 0.5)
        if attention_mask is not None:
            forbidden = attention_mask.to(torch.bool).logical_not()
            s = s.masked_fill(forbidden, -float("inf"))
        w = torch.softmax(s, 2)
        w = self.dropout_layer(w)
        # each query's weights add up to 1
        w = w / w.sum(dim=2, keepdim=True)
        y = torch.bmm(w, v)
        return self.o(y)
