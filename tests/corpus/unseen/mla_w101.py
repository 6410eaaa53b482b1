import math
import torch
from torch import nn


def rope(x, start):
    r = x.shape[-1] // 2
    f = 10000.0 ** (-torch.arange(r, device=x.device, dtype=torch.float32) / r)
    a = torch.arange(start, start + x.shape[-2], device=x.device, dtype=torch.float32)[:, None] * f
    c, s = a.cos().to(x.dtype), a.sin().to(x.dtype)
    u, w = x[..., :r], x[..., r:]
    return torch.cat((u * c - w * s, w * c + u * s), -1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.H, self.d, self.r, self.l = num_heads, head_dim, rope_dim, latent_dim
        self.kv_down = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.k_rope = nn.Linear(latent_dim, rope_dim, bias=False)
        self.kv_up = nn.Linear(latent_dim, num_heads * 2 * head_dim, bias=False)
        self.q = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.o = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        past = 0 if cache is None else cache.shape[1]
        n = x.shape[1]
        c = self.kv_down(x)
        new = torch.cat([c, rope(self.k_rope(c), past)], -1)
        cache = new if cache is None else torch.cat([cache, new], 1)
        latent, kr = cache.split([self.l, self.r], -1)
        k, v = self.kv_up(latent).unflatten(-1, (self.H, 2 * self.d)).transpose(1, 2).chunk(2, -1)
        q = self.q(x).unflatten(-1, (self.H, self.d + self.r)).transpose(1, 2)
        qr = rope(q[..., self.d:], past)
        s = (q[..., :self.d] @ k.mT + qr @ kr[:, None].mT) / math.sqrt(self.d + self.r)
        s = s.masked_fill(torch.ones(n, past + n, dtype=torch.bool, device=x.device).triu(past + 1), -math.inf)
        return self.o((s.softmax(-1) @ v).transpose(1, 2).flatten(2)), cache
