# wrong: gqa kv-heads-tiled line 28
# fair: kv-heads-tiled 29
import math

import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.d = hidden_dim // num_heads
        self.Wq = nn.ModuleList(nn.Linear(hidden_dim, self.d) for _ in range(num_heads))
        self.Wk = nn.ModuleList(nn.Linear(hidden_dim, self.d) for _ in range(num_kv_heads))
        self.Wv = nn.ModuleList(nn.Linear(hidden_dim, self.d) for _ in range(num_kv_heads))
        self.Wo = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        b, n, _ = x.shape
        ks = [f(x) for f in self.Wk]
        vs = [f(x) for f in self.Wv]
        if attention_mask is not None:
            attention_mask = attention_mask.expand(b, self.num_heads, n, n)
        outs = []
        for h in range(self.num_heads):
            g = h % self.num_kv_heads
            s = self.Wq[h](x) @ ks[g].transpose(1, 2) / math.sqrt(self.d)
            if attention_mask is not None:
                s = s.masked_fill(attention_mask[:, h] == 0, float("-inf"))
            outs.append(torch.softmax(s, dim=-1) @ vs[g])
        return self.Wo(torch.cat(outs, dim=-1))
