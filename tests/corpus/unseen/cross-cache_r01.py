# attn-kata: cross-cache
import torch
from torch import nn


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError("num_heads must divide hidden_dim")
        self.num_heads = num_heads
        self.fc_q = nn.Linear(hidden_dim, hidden_dim)
        self.fc_k = nn.Linear(hidden_dim, hidden_dim)
        self.fc_v = nn.Linear(hidden_dim, hidden_dim)
        self.fc_o = nn.Linear(hidden_dim, hidden_dim)

    def make_reader(self, memory, memory_lengths):
        split = (self.num_heads, memory.shape[-1] // self.num_heads)
        keys = self.fc_k(memory).unflatten(-1, split).permute(0, 2, 3, 1)      # b h d s
        values = self.fc_v(memory).unflatten(-1, split).permute(0, 2, 1, 3)    # b h s d
        bias = memory.new_zeros(memory.shape[:2])
        for row, count in zip(bias, memory_lengths.tolist()):
            row[count:] = -torch.inf

        def read(query):
            scores = query @ keys * split[1] ** -0.5 + bias[:, None, None]
            return scores.softmax(-1) @ values

        return read

    def forward(self, x, memory, memory_lengths, cache=None):
        read = self.make_reader(memory, memory_lengths) if cache is None else cache
        query = self.fc_q(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        return self.fc_o(read(query).transpose(1, 2).flatten(2)), read
