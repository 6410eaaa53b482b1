import torch
from torch import nn


class CachedCrossAttention(nn.Module):
    """No padding and no mask: each sample's memory is cut to its own length before it is kept."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim, bias=False)      # as in Whisper
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def _heads(self, t):                      # (n, c) -> (h, n, c / h)
        return t.view(t.shape[0], self.h, -1).swapaxes(0, 1)

    def _read(self, memory, memory_lengths):
        kept = []
        for sample, n in zip(memory, memory_lengths.tolist()):
            real = sample[: int(n)]
            kept.append((self._heads(self.key(real)), self._heads(self.value(real))))
        return tuple(kept)

    def forward(self, x, memory, memory_lengths, cache=None):
        if cache is None:
            cache = self._read(memory, memory_lengths)
        c = x.shape[-1]
        scale = (c // self.h) ** -0.25
        wv = []
        for tokens, (k, v) in zip(self.query(x), cache):
            q = self._heads(tokens)
            qk = (q * scale) @ (k * scale).mT
            w = torch.softmax(qk, dim=-1)
            wv.append((w @ v).swapaxes(0, 1).reshape(-1, c))
        return self.out(torch.stack(wv)), cache
