import torch
from torch import nn


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.heads = num_heads
        self.scale = (hidden_dim // num_heads) ** -0.5
        self.Wq = nn.Linear(hidden_dim, hidden_dim)
        self.Wk = nn.Linear(hidden_dim, hidden_dim)
        self.Wv = nn.Linear(hidden_dim, hidden_dim)
        self.Wo = nn.Linear(hidden_dim, hidden_dim)

    def split(self, t):
        return t.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def encode(self, memory, lengths):
        idx = torch.arange(memory.size(1), device=memory.device)
        blocked = (idx >= lengths.view(-1, 1))[:, None, None, :]
        return self.split(self.Wk(memory)), self.split(self.Wv(memory)), blocked

    def forward(self, x, memory, memory_lengths, cache=None):
        if cache is None:
            self.state = self.encode(memory, memory_lengths)
        k, v, blocked = self.state
        q = self.split(self.Wq(x)) * self.scale
        scores = (q @ k.mT).masked_fill(blocked, float("-inf"))
        y = (scores.softmax(-1) @ v).transpose(1, 2).flatten(2)
        return self.Wo(y), True
