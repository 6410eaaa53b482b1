# wrong: mla rope-turned-backwards line 10, scale-without-rope-dim line 44
# fair: rope-turned-backwards 14, 36
import math
import torch
import torch.nn as nn


def rotate_half(x):
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat([x2, -x1], dim=-1)


def apply_rope(x, cos, sin):
    return (x * cos + rotate_half(x) * sin).to(x.dtype)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.num_heads, self.head_dim = num_heads, head_dim
        self.rope_dim, self.latent_dim = rope_dim, latent_dim
        self.q_proj = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim))
        self.kv_a_proj = nn.Linear(hidden_dim, latent_dim + rope_dim)
        self.kv_b_proj = nn.Linear(latent_dim, num_heads * 2 * head_dim)
        self.o_proj = nn.Linear(num_heads * head_dim, hidden_dim)

    def forward(self, x, cache=None):
        b, t, _ = x.shape
        past = 0 if cache is None else cache[0].shape[1]
        inv = 10000 ** (-torch.arange(0, self.rope_dim, 2, device=x.device) / self.rope_dim)
        ang = torch.arange(past, past + t, device=x.device)[:, None] * inv
        cos, sin = torch.cat([ang, ang], -1).cos(), torch.cat([ang, ang], -1).sin()
        q = self.q_proj(x).view(b, t, self.num_heads, -1).transpose(1, 2)
        q_c, q_r = q.split([self.head_dim, self.rope_dim], -1)
        c, k_r = self.kv_a_proj(x).split([self.latent_dim, self.rope_dim], -1)
        q_r, k_r = apply_rope(q_r, cos, sin), apply_rope(k_r, cos, sin)
        if cache is not None:
            c = torch.cat([cache[0], c], 1)
            k_r = torch.cat([cache[1], k_r], 1)
        s = c.shape[1]
        kv = self.kv_b_proj(c).view(b, s, self.num_heads, -1).transpose(1, 2)
        k_c, v = kv.split(self.head_dim, -1)
        scores = q_c @ k_c.mT + q_r @ k_r.mT.unsqueeze(1)
        scores = scores / math.sqrt(self.head_dim)
        mask = torch.ones(t, s, dtype=torch.bool, device=x.device).triu(s - t + 1)
        w = scores.masked_fill(mask, float("-inf")).softmax(-1)
        return self.o_proj((w @ v).transpose(1, 2).reshape(b, t, -1)), (c, k_r)
