# attn-kata: mla
import math

import torch
from torch import nn


def rope(x, start=0):
    """x (..., length, dim), halves"""
    n, d = x.shape[-2:]
    freq = 10000.0 ** (-2 * torch.arange(d // 2, device=x.device, dtype=torch.float32) / d)
    angle = torch.arange(start, start + n, device=x.device, dtype=torch.float32)[:, None] * freq
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    a, b = x.chunk(2, dim=-1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.h, self.d, self.r = num_heads, head_dim, rope_dim
        self.q = nn.Linear(hidden_dim, num_heads * head_dim, bias=False)
        self.q_rope = nn.Linear(hidden_dim, num_heads * rope_dim, bias=False)
        self.kv_down = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.k_up = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.v_up = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.k_rope = nn.Linear(hidden_dim, rope_dim, bias=False)
        self.out = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        b, t, _ = x.shape
        latent, k_r = self.kv_down(x), self.k_rope(x)
        past = 0
        if cache is not None:
            past = cache[0].size(1)
            latent = torch.cat((cache[0], latent), dim=1)
            k_r = torch.cat((cache[1], k_r), dim=1)
        k_r = rope(k_r)
        cache = (latent, k_r)

        split = lambda z: z.view(b, z.size(1), self.h, -1).transpose(1, 2)
        q_c, q_r = split(self.q(x)), rope(split(self.q_rope(x)), past)
        k_c, v = split(self.k_up(latent)), split(self.v_up(latent))

        s = q_c @ k_c.transpose(-1, -2) + q_r @ k_r.unsqueeze(1).transpose(-1, -2)
        s = s / math.sqrt(self.d + self.r)
        total = past + t
        mask = torch.ones(t, total, dtype=torch.bool, device=x.device).tril(past)
        y = s.masked_fill(~mask, -math.inf).softmax(-1) @ v
        return self.out(y.transpose(1, 2).reshape(b, t, -1)), cache
