import torch
from torch import nn


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.nh = num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wkv = nn.Linear(hidden_dim, 2 * hidden_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def prepare(self, memory, memory_lengths):
        B, S, C = memory.shape
        kv = self.wkv(memory).view(B, S, 2, self.nh, C // self.nh)
        spots = torch.arange(S, device=memory.device).expand(B, S)
        live = spots <= memory_lengths.unsqueeze(1)
        bias = torch.zeros(B, S, dtype=kv.dtype, device=memory.device)
        bias = bias.masked_fill(live.logical_not(), float("-inf"))
        return {"k": kv[:, :, 0], "v": kv[:, :, 1], "bias": bias}

    def forward(self, x, memory, memory_lengths, cache=None):
        static = self.prepare(memory, memory_lengths) if cache is None else cache
        B, T, C = x.shape
        q = self.wq(x).view(B, T, self.nh, C // self.nh)
        att = torch.einsum("bthd,bshd->bhts", q, static["k"]) * (C // self.nh) ** -0.5
        att = att + static["bias"][:, None, None, :]
        y = torch.einsum("bhts,bshd->bthd", torch.softmax(att, dim=-1), static["v"])
        return self.wo(y.flatten(2)), static
