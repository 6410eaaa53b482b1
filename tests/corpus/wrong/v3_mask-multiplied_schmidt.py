# wrong: v3 mask-multiplied line 20
import torch
import torch.nn as nn
from math import sqrt


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = self.wq(x), self.wk(x), self.wv(x)
        werte = torch.einsum("bqd,bkd->bqk", q, k) / sqrt(q.shape[-1])
        if attention_mask is not None:
            werte = werte * attention_mask
        gewichte = self.dropout(torch.softmax(werte, dim=2))
        return self.wo(torch.einsum("bqk,bkd->bqd", gewichte, v))
