# right: cross
import torch
import torch.nn as nn
import torch.nn.functional as F


class CrossAttention(nn.Module):
    """key and value get one layer with two halves; works for key is not value as well"""

    def __init__(self, d_model, n_heads, dropout=0.1):
        super().__init__()
        self.n_heads = n_heads
        self.p = dropout
        self.wq = nn.Linear(d_model, d_model)
        self.wkv = nn.Linear(d_model, 2 * d_model)
        self.wo = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        heads = lambda t: t.unflatten(-1, (self.n_heads, -1)).movedim(-2, -3)
        wk, wv = self.wkv.weight.chunk(2)
        bk, bv = self.wkv.bias.chunk(2)
        q = heads(self.wq(query))
        k = heads(F.linear(key, wk, bk))
        v = heads(F.linear(value, wv, bv))
        s = q @ k.mT * q.size(-1) ** -0.5
        if mask is not None:
            keep = mask[:, None].bool()
            s = s.masked_fill(~keep, -1e30)
        p = F.dropout(s.softmax(-1), self.p, training=self.training)
        return self.wo((p @ v).movedim(1, 2).flatten(2))
