# wrong: cross mask-fill-small line 22
import torch
import torch.nn as nn
from einops import rearrange


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.heads = num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        split = lambda t: rearrange(t, "b n (h d) -> b h n d", h=self.heads)
        q, k, v = split(self.wq(query)), split(self.wk(key)), split(self.wv(value))
        logits = q.matmul(k.transpose(-1, -2)).div(q.size(-1) ** 0.5)
        if mask is not None:
            logits = logits + rearrange(mask.to(logits) + 1e-3, "b i j -> b 1 i j").log()
        ctx = self.drop(logits.softmax(-1)).matmul(v)
        return self.wo(rearrange(ctx, "b h n d -> b n (h d)"))
