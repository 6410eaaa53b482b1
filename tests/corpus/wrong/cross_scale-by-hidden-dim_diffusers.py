# wrong: cross scale-by-hidden-dim line 9
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    def __init__(self, query_dim, heads=8, dropout=0.1):
        super().__init__()
        self.scale = query_dim ** -0.5
        self.heads = heads
        self.to_q = nn.Linear(query_dim, query_dim, bias=False)
        self.to_k = nn.Linear(query_dim, query_dim, bias=False)
        self.to_v = nn.Linear(query_dim, query_dim, bias=False)
        self.to_out = nn.ModuleList([nn.Linear(query_dim, query_dim), nn.Dropout(0.0)])
        self.dropout = nn.Dropout(dropout)

    def head_to_batch_dim(self, t):
        b, s, d = t.shape
        t = t.reshape(b, s, self.heads, d // self.heads).permute(0, 2, 1, 3)
        return t.reshape(b * self.heads, s, d // self.heads)

    def batch_to_head_dim(self, t):
        bh, s, d = t.shape
        t = t.reshape(bh // self.heads, self.heads, s, d).permute(0, 2, 1, 3)
        return t.reshape(bh // self.heads, s, d * self.heads)

    def forward(self, query, key, value, mask=None):
        q = self.head_to_batch_dim(self.to_q(query))
        k = self.head_to_batch_dim(self.to_k(key))
        v = self.head_to_batch_dim(self.to_v(value))
        sim = torch.bmm(q, k.transpose(-1, -2)) * self.scale
        if mask is not None:
            mask = mask.repeat_interleave(self.heads, dim=0)
            sim = sim.masked_fill(mask == 0, -1e9)
        probs = self.dropout(sim.softmax(dim=-1))
        out = self.batch_to_head_dim(torch.bmm(probs, v))
        for layer in self.to_out:
            out = layer(out)
        return out
