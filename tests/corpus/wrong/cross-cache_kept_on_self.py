# wrong: cross-cache cache-on-self line 24
# fair: cache-on-self 25, 26
import torch
from torch import nn


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)
        self.k = self.v = self.mask = None

    def heads(self, t):
        return t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def forward(self, x, memory, memory_lengths, cache=None):
        if self.k is None:
            # Projected once for good.
            places = torch.arange(memory.shape[1], device=memory.device)
            self.k = self.heads(self.to_k(memory))
            self.v = self.heads(self.to_v(memory))
            self.mask = (places >= memory_lengths[:, None])[:, None, None]
        q = self.heads(self.to_q(x))
        dots = q @ self.k.mT * q.shape[-1] ** -0.5
        dots = dots.masked_fill(self.mask, -torch.finfo(dots.dtype).max)
        out = dots.softmax(dim=-1) @ self.v
        return self.to_out(out.transpose(1, 2).flatten(2)), True
