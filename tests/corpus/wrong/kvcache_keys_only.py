# wrong: kvcache cache-not-read line 21
# fair: cache-not-read 17 18 19
import torch
from torch import nn


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(hidden_dim, hidden_dim) for _ in range(4))

    def forward(self, x, cache=None):
        b, t, _ = x.shape
        view = (b, t, self.h, self.d)
        q = self.wq(x).view(view).transpose(1, 2)
        k = self.wk(x).view(view).transpose(1, 2)
        v = self.wv(x).view(view).transpose(1, 2)
        cache = (k, v) if cache is None else (torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2))
        # (the cache grows, and nobody looks into it)
        s = q @ k.transpose(2, 3) / self.d**0.5
        s = s.masked_fill(torch.ones(t, t, device=x.device).triu(1) == 1, float("-inf"))
        y = (s.softmax(-1) @ v).transpose(1, 2).flatten(2)
        return self.wo(y), cache
