# right: mha
import torch
import torch.nn as nn
import torch.nn.functional as F


class Head(nn.Module):
    def __init__(self, emb, size, dropout):
        super().__init__()
        self.q = nn.Linear(emb, size, bias=False)
        self.k = nn.Linear(emb, size, bias=False)
        self.v = nn.Linear(emb, size, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask):
        """mask: (B, T, T) or None"""
        wei = self.q(x) @ self.k(x).transpose(-2, -1) * self.q.out_features ** -0.5
        if mask is not None:
            wei = wei.masked_fill(mask == 0, float("-inf"))
        return self.dropout(F.softmax(wei, dim=-1)) @ self.v(x)


class MultiHeadAttention(nn.Module):
    def __init__(self, emb, heads, dropout=0.1):
        super().__init__()
        self.heads = nn.ModuleList([Head(emb, emb // heads, dropout) for _ in range(heads)])
        self.proj = nn.Linear(emb, emb)

    def forward(self, x, attention_mask=None):
        n = len(self.heads)
        if attention_mask is None:
            per_head = [None] * n
        else:
            B, T, _ = x.shape
            per_head = attention_mask.expand(B, n, T, T).unbind(1)
        return self.proj(torch.cat([h(x, m) for h, m in zip(self.heads, per_head)], dim=-1))
