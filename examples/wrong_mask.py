# attn-kata: v4
import math

import torch
from torch import nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = self.wq(x), self.wk(x), self.wv(x)
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.hidden_dim)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask.bool(), -1e9)
        p = self.dropout(torch.softmax(scores, dim=-1))
        return torch.matmul(p, v)
