import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.d = hidden_dim
        self.p = dropout
        self.w_qkv = nn.Parameter(torch.empty(3, hidden_dim, hidden_dim))
        self.w_o = nn.Parameter(torch.empty(hidden_dim, hidden_dim))
        for w in (*self.w_qkv.unbind(0), self.w_o):
            nn.init.xavier_uniform_(w)

    def forward(self, x, attention_mask=None):
        q, k, v = (x @ w for w in self.w_qkv.unbind(0))
        s = (q @ k.mT) / math.sqrt(self.d)

        if attention_mask is not None:
            keep = attention_mask != 0
            # rows with nothing to look at would become NaN
            if not keep.any(dim=-1).all():
                keep = torch.ones_like(keep)
            s = s.masked_fill(~keep, float("-inf"))

        a = F.softmax(s, dim=-1)
        a = F.dropout(a, self.p, training=self.training)
        return (a @ v) @ self.w_o
