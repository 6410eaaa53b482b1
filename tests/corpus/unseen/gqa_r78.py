import torch
from torch import nn


class Group(nn.Module):
    """Some query heads and the key and value head that they read, for one sample at a time."""

    def __init__(self, width, size, d):
        super().__init__()
        self.size, self.d = size, d
        self.qkv = nn.Linear(width, (size + 2) * d)     # q .. q k v

    def forward(self, x, seen):                         # x: [T, C], seen: [size, T, T] or None
        *q, k, v = self.qkv(x).split(self.d, dim=1)
        for i, qi in enumerate(q):
            s = qi.mm(k.t()).mul(self.d ** -0.5)
            if seen is not None:
                s = s.masked_fill(seen[i] == 0, torch.finfo(s.dtype).min)
            yield s.softmax(1).mm(v)


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        assert hidden_dim % num_heads == 0 and num_heads % num_kv_heads == 0
        self.per = num_heads // num_kv_heads
        self.num_heads = num_heads
        self.groups = nn.ModuleDict()
        for g in range(num_kv_heads):
            self.groups[f"g{g}"] = Group(hidden_dim, self.per, hidden_dim // num_heads)
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        B, T, _ = x.shape
        mask = [None] * B if attention_mask is None else attention_mask.expand(B, self.num_heads, T, T)
        rows = []
        for sample, m in zip(x, mask):
            heads = []
            for g, group in enumerate(self.groups.values()):
                part = None if m is None else m[g * self.per:(g + 1) * self.per]
                heads.extend(group(sample, part))
            rows.append(torch.hstack(heads))
        return self.proj(torch.stack(rows))
