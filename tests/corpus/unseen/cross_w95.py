# attn-kata: cross
from dataclasses import dataclass
import torch
from torch import nn


@dataclass
class HeadLayout:
    count: int
    width: int

    @property
    def scale(self):
        return self.width ** -0.5


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.layout = HeadLayout(num_heads, hidden_dim)
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def to_heads(self, t):
        return t.unflatten(-1, (self.layout.count, -1)).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        q = self.to_heads(self.wq(query))
        k = self.to_heads(self.wk(key))
        v = self.to_heads(self.wv(value))
        scores = torch.matmul(q, k.transpose(-2, -1)) * self.layout.scale
        if mask is not None:
            scores = scores.masked_fill(mask.unsqueeze(1) == 0, torch.finfo(scores.dtype).min)
        attn = self.dropout(scores.softmax(-1))
        return self.wo((attn @ v).transpose(1, 2).flatten(2))
