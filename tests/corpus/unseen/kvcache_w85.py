import math
import torch
import torch.nn as nn

PAGE = 16


class CachedSelfAttention(nn.Module):
    """Cache: (pages, rest). pages is a list of full (B, H, 16, d) pairs, rest is what is left over."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.d = hidden_dim // num_heads
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)

    def split(self, t):
        return t.view(t.size(0), t.size(1), self.h, self.d).transpose(1, 2)

    @staticmethod
    def pack(kv):
        # kv: (2, B, H, total, d)
        total = kv.size(3)
        pages = [kv[:, :, :, i * PAGE : (i + 1) * PAGE] for i in range(total // PAGE)]
        rest = kv[:, :, :, -(total % PAGE) :]
        return pages, rest

    @staticmethod
    def unpack(cache):
        pages, rest = cache
        return torch.cat([*pages, rest], dim=3)

    def forward(self, x, cache=None):
        n = x.size(1)
        q = self.split(self.to_q(x))
        kv = torch.stack([self.split(self.to_k(x)), self.split(self.to_v(x))])
        if cache is not None:
            kv = torch.cat([self.unpack(cache), kv], dim=3)
        k, v = kv
        total = k.size(2)
        att = q @ k.transpose(2, 3) / math.sqrt(self.d)
        row = torch.arange(total - n, total, device=x.device)
        col = torch.arange(total, device=x.device)
        att = att.masked_fill(col[None, :] > row[:, None], float("-inf"))
        y = att.softmax(dim=-1) @ v
        y = y.transpose(1, 2).reshape(x.shape)
        return self.to_out(y), self.pack(kv)
