# wrong: kvcache scale-missing line 25, cache-stale line 31
# fair: cache-stale 21 23
import torch
from torch import nn


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        b, t, e = x.shape
        q = self.q_proj(x).view(b, t, self.num_heads, -1).transpose(1, 2)
        k = self.k_proj(x).view(b, t, self.num_heads, -1).transpose(1, 2)
        v = self.v_proj(x).view(b, t, self.num_heads, -1).transpose(1, 2)
        fresh = k, v
        if cache is not None:
            k, v = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)

        scores = q @ k.transpose(-2, -1)

        seen = torch.ones(t, k.size(2), device=x.device).tril(k.size(2) - t)
        scores = scores.masked_fill(seen == 0, torch.finfo(scores.dtype).min)
        y = scores.softmax(-1) @ v

        return self.o_proj(y.transpose(1, 2).reshape(b, t, e)), fresh
