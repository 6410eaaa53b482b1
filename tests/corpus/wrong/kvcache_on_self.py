# wrong: kvcache cache-on-self line 29
# fair: cache-on-self 14 25 26 27
import torch
from torch import nn


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.n = num_heads
        self.d = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.proj = nn.Linear(hidden_dim, hidden_dim)
        self.past = None

    def forward(self, x, cache=None):
        b, t, e = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)

        def heads(z):
            return z.view(b, -1, self.n, self.d).transpose(1, 2)

        q, k, v = heads(q), heads(k), heads(v)

        if self.past is not None and self.past[0].size(0) == b:
            k = torch.cat([self.past[0], k], 2)
            v = torch.cat([self.past[1], v], 2)

        self.past = (k, v)
        n = k.size(2)
        s = (q @ k.mT / self.d**0.5).masked_fill(torch.ones(t, n, device=x.device).tril(n - t) == 0, float("-inf"))
        return self.proj((s.softmax(-1) @ v).transpose(1, 2).reshape(b, t, e)), self.past
