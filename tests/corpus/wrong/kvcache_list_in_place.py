# wrong: kvcache cache-changed-in-place line 23
# fair: cache-changed-in-place 24 25
import torch
from torch import nn


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        b, t, e = x.shape
        split = lambda z: z.view(b, -1, self.num_heads, e // self.num_heads).transpose(1, 2)

        if cache is None:
            cache = []

        cache.append((self.wk(x), self.wv(x)))
        k = split(torch.cat([one for one, _ in cache], dim=1))
        v = split(torch.cat([one for _, one in cache], dim=1))
        q = split(self.wq(x))
        n = k.shape[2]
        s = q @ k.mT / (e // self.num_heads) ** 0.5
        s = s.masked_fill(torch.ones(t, n, device=x.device).tril(n - t) == 0, float("-inf"))
        return self.wo((s.softmax(-1) @ v).transpose(1, 2).reshape(b, t, e)), cache
