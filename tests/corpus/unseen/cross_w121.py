import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads
        self.w = nn.ModuleDict({n: nn.Linear(hidden_dim, hidden_dim) for n in "qkvo"})
        self.drop = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        split = lambda t: t.unflatten(-1, (self.h, self.d)).transpose(1, 2)
        q, k, v = (split(self.w[n](t)) for n, t in zip("qkv", (query, key, key)))
        s = q @ k.transpose(-1, -2) / self.d**0.5
        s = s if mask is None else torch.where(mask.bool().unsqueeze(1), s, float("-inf"))
        return self.w["o"]((self.drop(s.softmax(-1)) @ v).transpose(1, 2).flatten(2))
