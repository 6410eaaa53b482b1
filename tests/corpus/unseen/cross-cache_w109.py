import torch
from torch import nn


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)

    def heads(self, t):
        b, n, c = t.shape
        return t.reshape(b, n, self.num_heads, c // self.num_heads).transpose(1, 2)

    def encode(self, memory, lengths):
        # columns that are padding in every sample need no projection
        memory = memory[:, : int(lengths[0])]
        index = torch.arange(memory.shape[1], device=memory.device)
        hidden = index[None, :] >= lengths[:, None]
        return self.heads(self.key(memory)), self.heads(self.value(memory)), hidden

    def forward(self, x, memory, memory_lengths, cache=None):
        if cache is None:
            cache = self.encode(memory, memory_lengths)
        key, value, hidden = cache
        query = self.heads(self.query(x))
        scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
        scores = scores.masked_fill(hidden[:, None, None, :], float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        context = (weights @ value).transpose(1, 2).reshape(x.shape)
        return self.output(context), cache
