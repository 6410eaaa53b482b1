"""Cross-attention for a decoder; `init_cache` and `read` are pure, `forward` only dispatches.

The padded end of the memory is dropped where nobody needs it (beyond the longest sequence).
"""
import torch
from einops import rearrange
from torch import nn


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.heads = num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def split(self, t):
        return rearrange(t, "n l (h d) -> n h l d", h=self.heads)

    def init_cache(self, memory, memory_lengths):
        longest = int(memory_lengths.max())
        memory = memory[:, :longest]
        index = torch.arange(longest, device=memory.device)
        valid = index < memory_lengths.to(memory.device)[:, None]
        return {
            "k": self.split(self.k(memory)),
            "v": self.split(self.v(memory)),
            "valid": rearrange(valid, "n s -> n 1 1 s"),
        }

    def read(self, x, cache):
        q = self.split(self.q(x))
        sim = torch.einsum("n h t d, n h s d -> n h t s", q, cache["k"]) * q.shape[-1] ** -0.5
        sim = torch.where(cache["valid"], sim, torch.finfo(sim.dtype).min)
        out = torch.einsum("n h t s, n h s d -> n h t d", sim.softmax(dim=-1), cache["v"])
        return self.o(rearrange(out, "n h t d -> n t (h d)"))

    def forward(self, x, memory, memory_lengths, cache=None):
        if cache is None:
            cache = self.init_cache(memory, memory_lengths)
        return self.read(x, cache), cache
