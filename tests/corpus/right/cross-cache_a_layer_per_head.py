# right: cross-cache
import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, dim, size):
        super().__init__()
        self.size = size
        self.query = nn.Linear(dim, size, bias=False)
        self.key = nn.Linear(dim, size, bias=False)
        self.value = nn.Linear(dim, size, bias=False)

    def remember(self, memory):
        return self.key(memory), self.value(memory)

    def forward(self, x, kept, padding):
        k, v = kept
        wei = torch.einsum("btd,bsd->bts", self.query(x), k) / self.size**0.5
        wei = wei.masked_fill(padding[:, None], float("-inf"))
        return torch.softmax(wei, dim=2) @ v


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        size = hidden_dim // num_heads
        self.heads = nn.ModuleList([Head(hidden_dim, size) for _ in range(num_heads)])
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, memory, memory_lengths, cache=None):
        if cache:
            kept, padding = cache
        else:
            kept = [head.remember(memory) for head in self.heads]
            padding = torch.stack(
                [torch.arange(memory.shape[1], device=x.device) >= n for n in memory_lengths]
            )
        out = torch.cat([h(x, own, padding) for h, own in zip(self.heads, kept)], dim=-1)
        return self.proj(out), (kept, padding)
