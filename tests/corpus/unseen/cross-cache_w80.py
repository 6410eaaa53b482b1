import torch
from torch import nn


class CachedCrossAttention(nn.Module):
    """Encoder-decoder attention; the encoder side is projected in the first step only."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.dk = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self._source = None
        self._kv = None

    def heads(self, t):
        return t.unflatten(-1, (self.h, self.dk)).transpose(-3, -2)

    def keys_values(self, memory):
        # several hypotheses of one source begin with the same memory
        if memory is not self._source:
            self._source = memory
            self._kv = (self.heads(self.wk(memory)), self.heads(self.wv(memory)))
        return self._kv

    def forward(self, x, memory, memory_lengths, cache=None):
        if cache is None:
            k, v = self.keys_values(memory)
            j = torch.arange(memory.shape[1], device=memory.device)
            cache = (k, v, j[None, :] < memory_lengths[:, None])
        k, v, real = cache
        q = self.heads(self.wq(x))
        scores = torch.matmul(q, k.transpose(-1, -2)) / self.dk**0.5
        scores = scores.masked_fill(~real[:, None, None, :], torch.finfo(scores.dtype).min)
        y = torch.matmul(torch.softmax(scores, dim=-1), v)
        return self.wo(y.transpose(1, 2).flatten(2)), cache
