# wrong: block post-norm line 41
# fair: post-norm 42 44
import math

import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, hidden_size, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(hidden_size, hidden_size)
        self.value = nn.Linear(hidden_size, hidden_size)
        self.dense = nn.Linear(hidden_size, hidden_size)

    def split(self, x):
        return x.view(x.size(0), x.size(1), self.num_heads, -1).transpose(1, 2)

    def forward(self, x):
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.size(-1))
        look_ahead = torch.ones(x.size(1), x.size(1), device=x.device).triu(1)
        scores = scores.masked_fill(look_ahead == 1, float("-inf"))
        context = scores.softmax(-1) @ v
        return self.dense(context.transpose(1, 2).flatten(2))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_size, num_heads):
        super().__init__()
        self.attention = SelfAttention(hidden_size, num_heads)
        self.norm1 = nn.LayerNorm(hidden_size)
        self.intermediate = nn.Linear(hidden_size, hidden_size * 4)
        self.gelu = nn.GELU()
        self.output = nn.Linear(hidden_size * 4, hidden_size)
        self.norm2 = nn.LayerNorm(hidden_size)

    def forward(self, x):
        attended = self.attention(x)
        x = self.norm1(x + attended)
        hidden = self.output(self.gelu(self.intermediate(x)))
        return self.norm2(x + hidden)
