# Packed: the cache is one ragged list of (keys, values), one entry per sample, cut to its length.
import torch
from torch import nn
from torch.func import vmap


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        d = hidden_dim // num_heads
        scale = hidden_dim ** -0.5
        self.wq = nn.Parameter(torch.randn(num_heads, hidden_dim, d) * scale)
        self.wkv = nn.Parameter(torch.randn(2, num_heads, hidden_dim, d) * scale)
        self.wo = nn.Parameter(torch.randn(num_heads, d, hidden_dim) * scale)

    def forward(self, x, memory, memory_lengths, cache=None):
        if cache is None:
            cache = tuple(
                torch.einsum("sf,chfd->chsd", m[:n], self.wkv)
                for m, n in zip(memory, memory_lengths.tolist())
            )

        def head(q, k, v):
            scores = (q @ k.mT) / q.size(-1) ** 0.5
            return scores.softmax(-1) @ v

        rows = []
        for row, (k, v) in zip(x, cache):
            q = torch.einsum("tf,hfd->htd", row, self.wq)
            rows.append(torch.einsum("htd,hdf->tf", vmap(head)(q, k, v), self.wo))
        return torch.stack(rows), cache
