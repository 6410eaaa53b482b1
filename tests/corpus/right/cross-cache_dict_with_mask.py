# right: cross-cache
import torch
from torch import nn


class CachedCrossAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.q = nn.Linear(d_model, d_model)
        self.kv = nn.Linear(d_model, 2 * d_model)
        self.out = nn.Linear(d_model, d_model)

    def heads(self, t):
        return t.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)

    def forward(self, x, memory, memory_lengths, cache=None):
        if cache is None:
            k, v = self.kv(memory).chunk(2, dim=-1)
            valid = torch.arange(memory.size(1), device=memory.device)[None] < memory_lengths[:, None]
            cache = {"k": self.heads(k), "v": self.heads(v), "valid": valid[:, None, None, :]}
        q = self.heads(self.q(x))
        scores = q @ cache["k"].mT * q.shape[-1] ** -0.5
        scores = scores.masked_fill(~cache["valid"], torch.finfo(scores.dtype).min)
        mixed = scores.softmax(-1) @ cache["v"]
        return self.out(mixed.transpose(1, 2).flatten(2)), cache
