# wrong: cross-cache memory-appended line 29
# fair: memory-appended 30
import torch
from torch import nn


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)

    def split(self, t):
        batch, length, _ = t.shape
        return t.view(batch, length, self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, x, memory, memory_lengths, cache=None):
        query = self.split(self.query(x))
        key = self.split(self.key(memory))
        value = self.split(self.value(memory))
        steps = torch.arange(memory.shape[1], device=x.device)
        seen = (steps < memory_lengths[:, None])[:, None, None, :]
        if cache is not None:
            past_key, past_value, past_seen = cache
            key = torch.cat([past_key, key], dim=2)
            value = torch.cat([past_value, value], dim=2)
            seen = torch.cat([past_seen, seen], dim=-1)
        scores = query @ key.transpose(-2, -1) / self.head_dim**0.5
        scores = scores.masked_fill(~seen, torch.finfo(scores.dtype).min)
        context = torch.softmax(scores, dim=-1) @ value
        merged = context.transpose(1, 2).flatten(2)
        return self.output(merged), (key, value, seen)
