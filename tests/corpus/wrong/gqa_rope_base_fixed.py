# wrong: gqa-rope rope-base-ignored line 20
# fair: rope-base-ignored 21
import torch
from torch import nn


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.num_heads, self.num_kv_heads = num_heads, num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.value = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        b, t, _ = x.shape
        past = 0 if cache is None else cache[0].shape[2]
        inv_freq = 10000 ** (-torch.arange(0, self.head_dim, 2, device=x.device) / self.head_dim)
        angles = torch.arange(past, past + t, device=x.device)[:, None] * inv_freq
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)

        def heads(z, n, turned=True):
            z = z.view(b, t, n, self.head_dim).transpose(1, 2)
            if not turned:
                return z
            first, second = z.chunk(2, dim=-1)
            return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)

        q, k = heads(self.query(x), self.num_heads), heads(self.key(x), self.num_kv_heads)
        v = heads(self.value(x), self.num_kv_heads, turned=False)
        if cache is not None:
            k, v = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
        rep = self.num_heads // self.num_kv_heads
        scores = q @ k.repeat_interleave(rep, 1).mT / self.head_dim**0.5
        keep = torch.ones(t, past + t, device=x.device).tril(past).bool()
        weights = scores.masked_fill(~keep, float("-inf")).softmax(dim=-1)
        y = (weights @ v.repeat_interleave(rep, 1)).transpose(1, 2).flatten(2)
        return self.out(y), (k, v)
