# wrong: cross batch-fixed line 18 (error)
import torch
import torch.nn as nn

batch_size = 64


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def split(self, t):
        return t.view(batch_size, -1, self.num_heads, t.shape[-1] // self.num_heads).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.split(self.q(query)), self.split(self.k(key)), self.split(self.v(value))
        s = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
        if mask is not None:
            s = s.masked_fill(mask.unsqueeze(1) == 0, -1e30)
        return self.o((s.softmax(-1) @ v).transpose(1, 2).flatten(2))
